// The page asks for a frame each second, keeps two minutes of them, and draws.
import { clock, span } from "./format.js";
import { forget } from "./draw.js";
import { History } from "./history.js";
import { show, redraw } from "./show.js";

const every = 1000, again = 2000, patience = 10000; // milliseconds
const root = document.documentElement;
const state = document.querySelector("#state");
const banner = document.querySelector("#banner");
const pause = document.querySelector("#pause");
const theme = document.querySelector("#theme");

const history = new History();
let paused = false, timer = 0, asking = false, lastSeen = 0;

// say shows the state of the connection to the program.
function say(how, text, trouble = "") {
  state.dataset.state = how;
  if (state.textContent !== text) state.textContent = text;
  if (banner.textContent !== trouble) banner.textContent = trouble;
  banner.hidden = !trouble;
  document.body.classList.toggle("stale", how === "lost");
}

// ask gets the next frame, unless the page is paused or hidden.
async function ask() {
  clearTimeout(timer);
  if (paused || asking || document.hidden) return;
  asking = true;
  const begun = performance.now();
  let wait = again;
  try {
    const answer = await fetch("live.json", { cache: "no-store", signal: AbortSignal.timeout(patience) });
    if (!answer.ok) throw new Error(`the program answers with ${answer.status}: ${(await answer.text()).trim()}`);
    const frame = await answer.json();
    if (!paused) take(frame);
    wait = Math.max(0, every - (performance.now() - begun));
  } catch (e) {
    if (!paused) lose(e);
  }
  asking = false;
  if (!paused) timer = setTimeout(ask, wait);
}

function take(frame) {
  const again = history.add(frame);
  lastSeen = frame.now;
  if (frame.ended) {
    say("ended", "runtime ended", "The runtime has ended; its program has not. These are its last figures.");
  } else {
    say("live", again ? `live, after a new start at ${clock(frame.now)}` : "live");
  }
  show(frame, history);
}

function lose(e) {
  const why = e instanceof TypeError ? "The program has ended, or cannot be reached" : e.name === "TimeoutError" ? "The program does not answer" : e.message;
  const seen = lastSeen ? `What is shown was seen at ${clock(lastSeen)}, ${span((Date.now() - lastSeen) / 1000)} ago.` : "It was not seen so far.";
  say("lost", "not connected", `${why}. ${seen} The page goes on when it is there again.`);
}

function setPaused(to) {
  paused = to;
  pause.setAttribute("aria-pressed", String(paused));
  pause.textContent = paused ? "Resume" : "Pause";
  if (paused) {
    clearTimeout(timer);
    say("paused", lastSeen ? `paused at ${clock(lastSeen)}` : "paused");
  } else {
    history.gap();
    say("waiting", "connecting");
    ask();
  }
}

const schemes = ["auto", "light", "dark"];
function setTheme(name) {
  if (name === "auto") delete root.dataset.theme; else root.dataset.theme = name;
  theme.textContent = name === "auto" ? "Auto" : name === "light" ? "Light" : "Dark";
  theme.setAttribute("aria-label", `Theme: ${name}`);
  forget();
  redraw(history);
}

let scheme = "auto";
try { scheme = localStorage.getItem("freerun-theme") || "auto"; } catch { /* not allowed: the theme is the system's */ }
theme.addEventListener("click", () => {
  scheme = schemes[(schemes.indexOf(scheme) + 1) % schemes.length];
  try { localStorage.setItem("freerun-theme", scheme); } catch { /* the choice holds for this visit only */ }
  setTheme(scheme);
});
pause.addEventListener("click", () => setPaused(!paused));
document.addEventListener("keydown", e => {
  if (e.key === "p" && !e.ctrlKey && !e.metaKey && !e.altKey) setPaused(!paused);
});
document.addEventListener("visibilitychange", () => {
  if (document.hidden || paused) return;
  history.gap();
  ask();
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { forget(); redraw(history); });
new ResizeObserver(() => redraw(history)).observe(document.body);

setTheme(schemes.includes(scheme) ? scheme : "auto");
ask();
