package report

// figure is one of the figures of the page: its text, a paper's numbers, and how to draw it from
// rows.
type figure struct {
	id         string      // names it in addresses and files
	title      string      // the subject
	source     string      // the figure of a paper, or the aspect that it isolates
	about      string      // the drawn quantity and its unit
	printed    string      // the paper's own words and numbers, if the figure is a paper's
	table      [][]string  // numbers that the paper prints, its header first; nil if there are none
	statements []statement // the paper's statements that the rows decide
	command    string      // the command that measures the rows
	draw       func(rows) (charts []chart, used rows)
}

// chart is a drawing with a title.
type chart interface {
	drawing
	name() string
}

func (f *frame) name() string { return f.title }

// section is a group of figures with a common subject.
type section struct {
	id      string
	title   string
	source  string // of the figures: author, title, year
	figures []figure
}

// sections returns all figures, in the order of the page.
func sections() []section {
	return []section{
		{
			id: "first", title: "Units, messages, futures",
			source:  "L. Quirk, Ownership of a queue for practical lock-free scheduling, 2008, section 9. His machine had 32 processors; its figures 4 to 10 are plots, and the text gives no numbers for them.",
			figures: append(fibFigures(), ddbFigures()...),
		},
		{
			id: "fourth", title: "Tasks",
			source:  "F. Negele, F. Friedrich, S. Oh, B. Egger, On the Design and Implementation of an Efficient Lock-Free Scheduler, JSSPP 2015, section 6. Four AMD Opteron 6380 at 2.5 GHz, 64 logical processors; “Native” is their lock-free runtime, and the rivals are the threads of Linux 2.6.32 and Windows Server 2008 R2.",
			figures: []figure{creation, switching, locking, matrix, table1},
		},
		{
			id: "below", title: "What lies below",
			source:  "Lock Free Runtime System, lecture slides after F. Negele’s thesis, ETH Zürich; A. Filatov, Lecture 13: concurrent queues.",
			figures: []figure{contention, containers, queueLocks, allocation},
		},
		{
			id: "rivals", title: "Beside plain Go and other libraries",
			source:  "Programs that isolate one cost each. No paper has figures for them.",
			figures: []figure{messages, submissions, trees, accounts, floods, idle, collected, kept},
		},
	}
}
