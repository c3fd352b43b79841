"use strict";
// Shows the screen at each moment of a run. The data beside it is numbers and texts alone; what is drawn
// of it are text nodes and attributes that this script names, never markup.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const [cellWidth, cellHeight, baseline, margin] = data.cell;
  const at = (id) => document.getElementById(id);
  const story = [...at("story").children].filter((item) => item.dataset.t);
  const told = story.map((item) => Number(item.dataset.t));
  const calm = matchMedia("(prefers-reduced-motion: reduce)");

  // --- The frames: data.frames has what changes from one to the next, see src/frontend/report/film.cc. ---

  let elapsed = 0;
  const times = data.frames.map((frame) => (elapsed += frame[0]));
  const sizeOf = (index) => data.sizes.findLast((size) => size[0] <= index);
  let shown = { index: -1, rows: [] };  // the frame that was read last, each row by its number

  function read(index) {
    if (index < shown.index) shown = { index: -1, rows: [] };
    while (shown.index < index) {
      const [, , scrolled, ...changes] = data.frames[++shown.index];
      const [, , count] = sizeOf(shown.index);
      const rows = shown.rows.slice(0, count);
      while (rows.length < count) rows.push(0);
      rows.splice(0, scrolled);
      for (let i = 0; i < scrolled; ++i) rows.push(0);
      for (let i = 0; i < changes.length; i += 3) {
        for (let n = 0; n < changes[i + 2]; ++n) rows[changes[i] + n] = changes[i + 1] + n;
      }
      shown.rows = rows;
    }
    return shown.rows;
  }

  // --- Drawing them. ---

  const bold = 1, faint = 2, italic = 4, underline = 8, strike = 128;

  function make(name, attributes) {
    const element = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const key in attributes) element.setAttribute(key, attributes[key]);
    return element;
  }

  function styleOf(reference) {
    const style = typeof reference === "number" ? data.styles[reference] : reference;
    return { ink: "#" + style.slice(0, 6), paper: style.slice(6, 12), bits: Number(style.slice(12)) };
  }

  function drawWord(group, text, col, cols, style) {
    const attributes = {
      x: (margin + cellWidth * col).toFixed(1), y: baseline, fill: style.ink,
      textLength: (cellWidth * cols).toFixed(1),
    };
    if (style.bits & bold) attributes["font-weight"] = "bold";
    if (style.bits & italic) attributes["font-style"] = "italic";
    if (style.bits & faint) attributes.opacity = 0.6;
    if (style.bits & underline) attributes["text-decoration"] = "underline";
    if (style.bits & strike) attributes["text-decoration"] = "line-through";
    const word = make("text", attributes);
    word.textContent = text;
    group.append(word);
  }

  // A row is [style, columns, text, ...]: words apart, so that a font of another width shifts nothing.
  function drawRow(row) {
    const group = make("g", {});
    for (let i = 0, col = 0; i < row.length; i += 3) {
      const style = styleOf(row[i]), cols = Math.abs(row[i + 1]), text = row[i + 2];
      if (style.paper !== data.paper) {
        group.append(make("rect", {
          x: (margin + cellWidth * col).toFixed(1), y: 0, width: (cellWidth * cols).toFixed(1),
          height: cellHeight, fill: "#" + style.paper,
        }));
      }
      if (row[i + 1] < 0) {
        if (text) drawWord(group, text, col, cols, style);
      } else {
        let from = col;
        for (const word of text.split(" ")) {
          const length = [...word].length;
          if (word) drawWord(group, word, from, length, style);
          from += length + 1;
        }
      }
      col += cols;
    }
    return group;
  }

  let picture = null;  // the <svg> and what it shows now

  function newPicture(cols, rows) {
    const width = 2 * margin + cellWidth * cols, height = 2 * margin + cellHeight * rows;
    const svg = make("svg", {
      viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "font-size": 14,
      "font-family": "ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace",
    });
    const groups = Array.from({ length: rows }, () => make("g", {}));
    const cursor = make("rect", { width: cellWidth, height: cellHeight, fill: "#" + data.ink, opacity: 0.6 });
    svg.append(...groups, cursor);
    at("screen").replaceChildren(svg);
    return { svg, cols, groups, cursor, rows: new Array(rows).fill(0) };
  }

  function textOf(number) {
    let text = "";
    const row = data.rows[number];
    for (let i = 0; i < row.length; i += 3) {
      text += row[i + 2];
      if (row[i + 1] > 0) text += " ".repeat(row[i + 1] - [...row[i + 2]].length);
    }
    return text.trimEnd();
  }

  function draw(index) {
    const rows = read(index), [, cols, count] = sizeOf(index);
    if (!picture || picture.cols !== cols || picture.rows.length !== count) picture = newPicture(cols, count);
    rows.forEach((number, row) => {
      if (picture.rows[row] === number) return;
      const group = drawRow(data.rows[number]);
      group.setAttribute("transform", `translate(0 ${margin + cellHeight * row})`);
      picture.groups[row].replaceWith(group);
      picture.groups[row] = group;
      picture.rows[row] = number;
    });
    const place = data.frames[index][1];
    picture.cursor.setAttribute("visibility", place < 0 ? "hidden" : "visible");
    picture.cursor.setAttribute("x", margin + cellWidth * (place % data.cols));
    picture.cursor.setAttribute("y", margin + cellHeight * Math.floor(place / data.cols));
    picture.svg.setAttribute("aria-label", rows.map(textOf).join("\n").trim());
  }

  // --- One moment, everywhere: the screen, the timeline, the words, the address. ---

  let now = -1, frame = -1, current = null;

  // The last of the sorted `moments` that is not after `ms`; -1 when all are.
  function lastAt(moments, ms) {
    let low = 0, high = moments.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (moments[middle] <= ms) low = middle + 1; else high = middle;
    }
    return low - 1;
  }

  function clock(ms) {
    const tenths = Math.floor(ms / 100), seconds = Math.floor(tenths / 10);
    const two = (n) => String(n).padStart(2, "0");
    const hours = Math.floor(seconds / 3600), minutes = Math.floor(seconds / 60) % 60;
    return `${hours ? hours + ":" + two(minutes) : minutes}:${two(seconds % 60)}.${tenths % 10}`;
  }

  const statusTimes = data.statuses.map((status) => status[0]);
  const statusAt = (ms) => (data.statuses[lastAt(statusTimes, ms)] || [0, ""])[1];

  function show(ms, follow) {
    now = Math.min(Math.max(ms, 0), data.end);
    const index = Math.max(lastAt(times, now), 0);
    if (index !== frame && times.length) draw(frame = index);
    const status = statusAt(now), share = data.end ? (100 * now) / data.end : 100;
    at("now").replaceChildren(clock(now), Object.assign(document.createElement("small"), { textContent: " / " + clock(data.end) }));
    at("status").textContent = status;
    at("status").style.color = `var(--${status.split("/")[0]})`;
    at("frame").textContent = times.length ? `screen ${index + 1} of ${times.length}` : "";
    at("head").style.left = share + "%";
    at("track").setAttribute("aria-valuenow", (now / 1000).toFixed(1));
    at("track").setAttribute("aria-valuetext", `${clock(now)}, ${status}`);
    const item = story[lastAt(told, now)];
    if (item !== current) {
      if (current) current.removeAttribute("aria-current");
      if (item) item.setAttribute("aria-current", "true");
      current = item;
    }
    if (follow && item) bring(item);
  }

  const sideBySide = matchMedia("(min-width: 62.01rem)");
  function bring(item) {
    const { top, bottom } = item.getBoundingClientRect();
    const hidden = top < 60 || bottom > innerHeight;
    if (hidden && sideBySide.matches) item.scrollIntoView({ block: bottom - top > innerHeight ? "start" : "center" });
  }

  let addressTimer = 0;
  function move(ms, follow = true) {
    show(ms, follow);
    clearTimeout(addressTimer);
    addressTimer = setTimeout(() => history.replaceState(null, "", `#t=${(now / 1000).toFixed(3).replace(/\.?0+$/, "")}`), 120);
  }

  function fromAddress() {
    const match = /^#t=(\d+(?:\.\d+)?)$/.exec(location.hash);
    return match ? Math.round(Number(match[1]) * 1000) : null;
  }

  // --- Keys, the button, the pointer. ---

  // The moment before or behind this one at which something changes.
  function neighbour(moments, step) {
    if (step > 0) return moments[lastAt(moments, now) + 1] ?? data.end;
    return moments[lastAt(moments, now - 1)] ?? 0;
  }

  let playing = 0, playedAt = 0;
  const longestPause = 1500;  // milliseconds in which nothing changes, as they are played

  function pause() {
    cancelAnimationFrame(playing);
    playing = 0;
    at("play").classList.remove("playing");
    at("play").setAttribute("aria-label", "Play");
  }

  function play() {
    if (playing) return pause();
    if (now >= data.end) move(0);
    at("play").classList.add("playing");
    at("play").setAttribute("aria-label", "Pause");
    const speed = () => Number(document.querySelector("#speed select").value);
    let since = playedAt = performance.now();
    const step = (time) => {
      playing = requestAnimationFrame(step);
      if (calm.matches && time - playedAt < 1000) return;  // a picture a second moves little
      const next = neighbour(times, 1);
      const passed = (time - playedAt) * speed();
      const waits = next - now > passed && time - since < longestPause;
      const to = waits ? now + passed : Math.max(next, now + passed);
      if (lastAt(times, to) !== lastAt(times, now)) since = time;
      playedAt = time;
      move(to);
      if (to >= data.end) pause();
    };
    playing = requestAnimationFrame(step);
  }

  const search = at("find").querySelector("input");
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.target === search) return;
    if (event.target.tagName === "SELECT") return;
    const moments = event.shiftKey ? statusTimes : times;
    const keys = {
      ArrowLeft: () => move(neighbour(moments, -1)), ArrowRight: () => move(neighbour(moments, 1)),
      Home: () => move(0), End: () => move(data.end), "/": () => search.focus(),
    };
    if (event.key === " " && event.target.tagName !== "BUTTON" && event.target.tagName !== "A") {
      event.preventDefault();
      return play();
    }
    if (!keys[event.key]) return;
    event.preventDefault();
    pause();
    keys[event.key]();
  });
  at("play").addEventListener("click", play);

  const track = at("track");
  function scrub(event) {
    const box = track.getBoundingClientRect();
    move(((event.clientX - box.left) / box.width) * data.end);
  }
  track.addEventListener("pointerdown", (event) => {
    track.setPointerCapture(event.pointerId);
    pause();
    scrub(event);
  });
  track.addEventListener("pointermove", (event) => track.hasPointerCapture(event.pointerId) && scrub(event));
  addEventListener("hashchange", () => {
    const ms = fromAddress();
    if (ms !== null && Math.abs(ms - now) >= 1) show(ms, false);
  });

  // --- Finding words. ---

  let hits = [], hit = -1;
  const ranges = typeof Highlight === "undefined" ? null : new Highlight();
  if (ranges) CSS.highlights.set("found", ranges);

  function mark(item, wanted) {
    if (!ranges) return item.classList.add("hit");
    const walker = document.createTreeWalker(item.lastElementChild, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const text = node.data.toLowerCase();
      for (let from = text.indexOf(wanted); from >= 0 && text.length === node.length; from = text.indexOf(wanted, from + 1)) {
        const range = new Range();
        range.setStart(node, from);
        range.setEnd(node, from + wanted.length);
        ranges.add(range);
      }
    }
  }

  function find() {
    const wanted = search.value.toLowerCase();
    if (ranges) ranges.clear();
    for (const item of hits) item.classList.remove("hit");
    hits = wanted ? story.filter((item) => item.lastElementChild.textContent.toLowerCase().includes(wanted)) : [];
    for (const item of hits) mark(item, wanted);
    hit = -1;
    at("find").querySelector("output").textContent = wanted ? (hits.length ? `${hits.length} found` : "none") : "";
  }

  function go(step) {
    if (!hits.length) return;
    hit = hit < 0 ? (step > 0 ? 0 : hits.length - 1) : (hit + step + hits.length) % hits.length;
    at("find").querySelector("output").textContent = `${hit + 1} of ${hits.length}`;
    move(Number(hits[hit].dataset.t), false);
    hits[hit].scrollIntoView({ block: "center" });
  }

  search.addEventListener("input", find);
  search.addEventListener("keydown", (event) => {
    if (event.key === "Enter") go(event.shiftKey ? -1 : 1);
    if (event.key === "Escape") {
      search.value = "";
      find();
      search.blur();
    }
  });
  at("find").addEventListener("submit", (event) => event.preventDefault());

  // --- What only works with this script shows itself now. ---

  for (const element of document.querySelectorAll("#find, #head, .keys")) element.hidden = false;
  if (times.length) at("play").hidden = at("speed").hidden = false;
  track.tabIndex = 0;
  const slider = { role: "slider", "aria-label": "Moment of the run", "aria-valuemin": 0, "aria-valuemax": data.end / 1000 };
  for (const key in slider) track.setAttribute(key, slider[key]);
  show(fromAddress() ?? data.open, false);
})();
