package report

// switching is figure 8 of the fourth paper.
var switching = figure{
	id: "switch", title: "Switching tasks", source: "fourth paper, figure 8", command: "freerun bench switch --processors 1,2",
	about: "Time for each switch of tasks that do nothing but let others run, against how many there are.",
	printed: "A plot without numbers in the text, which says that Native is much slower than Linux, since all processors contend for one ready queue, and that its time soon becomes constant. " +
		"freerun's processors have queues of their own, as its authors propose.",
	draw: func(all rows) ([]chart, rows) {
		return against(all.of("switch"), "tasks", axis{label: "tasks", log: true}, axis{label: "ns a switch", log: true}, "ns a switch")
	},
}
