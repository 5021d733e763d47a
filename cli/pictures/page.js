"use strict";
(() => {
  const find = (id) => document.getElementById(id);
  const drawings = JSON.parse(find("data").textContent), boxes = find("boxes");
  const pictures = [find("picture"), ...[...document.querySelectorAll("template.drawing")].map((t) => t.content.firstElementChild)];
  const box = pictures[0].parentElement, body = document.body;
  let data, picture, cards, wires, labels, grads, finals, forward, backward;
  const lines = new Map([...document.querySelectorAll(".code li[id]")].map((line) => [+line.id.slice(1), line.firstChild]));
  const codes = new Map([...lines].map(([at, code]) => [at, code.textContent]));
  const MS = 1100;
  const finals_of = [];
  let steps = [], at = 0, timer = 0, lit = [];

  // One state of the boxes: its picture takes the place of the other.
  const use = (number) => {
    data = drawings[number];
    picture = pictures[number];
    if (picture.parentElement !== box) box.replaceChildren(picture);
    const part = (letter) => (_, i) => picture.getElementById(letter + i);
    cards = data.places.map(part("n"));
    wires = data.edges.map(part("w"));
    labels = data.edges.map(part("e"));
    grads = cards.map((card) => card.querySelector(".grad"));
    finals = finals_of[number] ||= grads.map((text) => (text ? text.textContent : ""));
    forward = data.steps.filter((s) => s.phase === "forward");
    backward = data.steps.filter((s) => s.phase === "backward");
    for (const card of Object.keys(data.opens)) { cards[card].setAttribute("role", "button"); cards[card].setAttribute("aria-expanded", "false"); }
    if (boxes) boxes.selectedIndex = number;
    const tallest = Math.max(...data.steps.map((s) => (s.rows ? s.rows.split("\n").length : 0)), 0);
    find("told").style.minHeight = `${Math.max(44, 18 * tallest + 4)}px`; // what is below stays where it is
    fit();
    draw_map();
    const output = picture.querySelector(".output");
    if (output) {
      const { left, width } = output.getBoundingClientRect();
      box.scrollLeft += left + width / 2 - box.getBoundingClientRect().left - box.clientWidth / 2;
    }
    build();
  };

  // A fitted picture fills the window below the buttons.
  function fit() {
    const bar = document.querySelector("nav").offsetHeight, is_fit = box.classList.contains("fit");
    picture.style.height = is_fit ? `${Math.max(innerHeight - bar - 30, 200)}px` : "";
    if (is_fit) scrollTo(0, box.getBoundingClientRect().top + scrollY - bar - 8);
  }

  // The map: a small picture of the whole, with a frame around what the pane shows. It is there if not all is.
  const map = find("map"), MAP = 150, NAMESPACE = "http://www.w3.org/2000/svg";
  const rectangle = (kind, x, y, width, height) => {
    const made = document.createElementNS(NAMESPACE, "rect");
    for (const [name, value] of Object.entries({ class: kind, x, y, width, height })) made.setAttribute(name, value);
    return made;
  };
  function draw_map() {
    const { width, height } = picture.viewBox.baseVal, scale = MAP / Math.max(width, height);
    map.setAttribute("viewBox", `0 0 ${width} ${height}`);
    map.setAttribute("width", Math.max(width * scale, 24));
    map.setAttribute("height", Math.max(height * scale, 24));
    map.style.marginTop = `-${Math.max(height * scale, 24) + 14}px`; // it lies over the picture
    map.style.marginBottom = "14px";
    map.replaceChildren(...cards.map((card) => {
      const { x, y, width, height } = card.querySelector(".card");
      const [left, top, wide, high] = [x, y, width, height].map((length) => length.baseVal.value);
      return rectangle(card.classList.contains("leaf") ? "m-leaf" : "m-function", left, top, wide, high);
    }), rectangle("m-view", 0, 0, 0, 0));
    frame_map();
  }
  function frame_map() {
    const all = picture.getBoundingClientRect(), pane = box.getBoundingClientRect(), view = map.lastChild;
    map.toggleAttribute("hidden", all.width <= box.clientWidth + 1 && all.height <= box.clientHeight + 1);
    const zoom = picture.viewBox.baseVal.width / all.width;
    const sides = { x: pane.left - all.left, y: pane.top - all.top, width: box.clientWidth, height: box.clientHeight };
    for (const [name, value] of Object.entries(sides)) view.setAttribute(name, value * zoom);
  }
  const light_map = (back) => {
    set(map, "back", back);
    cards.forEach((card, i) => set(map.children[i], "m-now", card.classList.contains("now")));
  };
  const go_map = (event) => {
    if (!event.buttons) return;
    const all = map.getBoundingClientRect(), whole = picture.getBoundingClientRect();
    box.scrollLeft = ((event.clientX - all.left) / all.width) * whole.width - box.clientWidth / 2;
    box.scrollTop = ((event.clientY - all.top) / all.height) * whole.height - box.clientHeight / 2;
  };
  const build = () => {
    const wrt = data.inputs[find("wrt").selectedIndex];
    steps = [...forward, ...backward, ...data.steps.filter((s) => s.phase === "paths" && s.wrt === wrt)];
    find("at").max = steps.length;
  };
  const start = { forward: () => 1, backward: () => forward.length + 1, paths: () => forward.length + backward.length + 1 };
  const set = (element, name, on) => element && element.classList.toggle(name, on);

  function light(node, line, back) {
    for (const [l] of lit) { lines.get(l).parentElement.classList.remove("lit", "back"); lines.get(l).textContent = codes.get(l); }
    lit = [];
    const place = node === null ? null : data.places[node];
    const l = place ? place[0] : line;
    const code = lines.get(l);
    if (!code) return;
    const item = code.parentElement;
    item.classList.add("lit");
    set(item, "back", back);
    if (place) {
      const text = codes.get(l), mark = document.createElement("mark");
      mark.textContent = text.slice(place[1], place[2]);
      code.replaceChildren(text.slice(0, place[1]), mark, text.slice(place[2]));
    }
    lit.push([l]);
    const pane = item.closest(".code");
    pane.scrollTop = Math.max(0, item.offsetTop - pane.offsetTop - pane.clientHeight / 2);
  }

  // Cards that do not all fit are a path: then the one in its middle is shown with those around it.
  function follow(nodes) {
    const frame = box.getBoundingClientRect();
    const shown = nodes.map((i) => [cards[i], cards[i].getBoundingClientRect()]).sort((a, b) => a[1].top - b[1].top);
    const [card, middle] = shown[shown.length >> 1];
    const centre = (start, end, room) => {
      const from = Math.min(...shown.map(([, r]) => r[start])), to = Math.max(...shown.map(([, r]) => r[end]));
      return (to - from <= room ? from + to : middle[start] + middle[end]) / 2;
    };
    box.scrollLeft += centre("left", "right", box.clientWidth) - frame.left - frame.width / 2;
    box.scrollTop += centre("top", "bottom", box.clientHeight) - frame.top - frame.height / 2;
    card.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  function show(wanted) {
    at = Math.max(0, Math.min(steps.length, wanted));
    const step = at ? steps[at - 1] : null, phase = step ? step.phase : "";
    const made = phase === "forward" ? at : cards.length;
    const back = phase === "backward" || phase === "paths";
    const now = new Set(step ? step.edges : []);
    const nodes = new Set(step ? step.nodes || [step.node] : []);
    const known = {};
    if (phase === "backward") for (const s of steps.slice(forward.length, at)) known[s.node] = "\u2202 " + s.grad;
    set(body, "ungraded", phase === "forward");
    set(picture, "back", back);
    cards.forEach((card, i) => {
      set(card, "gone", i >= made);
      set(card, "now", nodes.has(i));
      set(card, "dim", phase === "paths" && !nodes.has(i));
      if (grads[i]) grads[i].textContent = phase === "backward" ? known[i] || "" : finals[i];
    });
    data.edges.forEach(([, target], i) => {
      for (const part of [wires[i], labels[i]]) {
        set(part, "gone", target >= made);
        set(part, "now", now.has(i));
        set(part, "dim", phase === "paths" && !now.has(i));
      }
    });
    for (const row of document.querySelectorAll("tr.lit")) row.classList.remove("lit");
    if (phase === "paths") {
      const name = find("wrt").selectedOptions[0].textContent;
      for (const block of document.querySelectorAll("details.derivation"))
        if (block.dataset.wrt === name) for (const row of block.querySelectorAll('tr[data-path="' + step.path + '"]')) row.classList.add("lit");
    }
    light(step && phase !== "paths" ? (phase === "backward" && step.edges.length ? data.edges[step.edges[0]][1] : step.node) : null, step && step.line, back);
    find("says").textContent = step ? step.says : "The finished picture. Press space to play it, or choose a part.";
    find("rows").textContent = (step && step.rows) || "";
    set(find("rows"), "back", back);
    for (const part of ["forward", "backward", "paths"]) set(find(part), "on", part === phase);
    find("at").value = at;
    find("count").textContent = at + " / " + steps.length;
    light_map(back);
    if (step) follow([...nodes]);
  }

  const stop = () => { clearInterval(timer); timer = 0; find("play").textContent = "\u25b6"; find("play").setAttribute("aria-label", "play"); };
  const link = () => history.replaceState(null, "", at ? "#" + at : location.pathname + location.search);
  const go = (wanted) => { stop(); show(wanted); link(); };
  const play = () => {
    if (timer) return stop();
    find("play").textContent = "\u2016";
    find("play").setAttribute("aria-label", "pause");
    timer = setInterval(() => (at < steps.length ? show(at + 1) : stop()), MS);
    show(at === steps.length ? 1 : at + 1);
  };
  const zoom = () => { const on = box.classList.toggle("fit"); find("zoom").setAttribute("aria-pressed", on); fit(); frame_map(); };
  // The boxes: 0 is the first picture; where nothing is folded there, 1 has all boxes closed.
  const closed = Object.keys(drawings[0].opens).length ? 0 : Math.min(1, drawings.length - 1);
  const change = (number) => { stop(); use(number); show(0); link(); };
  const opening = () => { const now = drawings.indexOf(data); change(now + 1 < drawings.length ? now + 1 : 0); };
  const toggle = (target) => {
    const card = target.closest(".node");
    if (!card) return false;
    const id = card.id.slice(1), opened = data.opens[id], number = opened ?? data.closes[id];
    if (number === undefined) return false;
    const before = new Set(cards.map((one) => one.querySelector("title").textContent));
    change(number);
    // The first card that is new has the focus: in the box that is open now, or that which is closed.
    const there = cards.find((one) => !before.has(one.querySelector("title").textContent));
    if (there) there.focus();
    return true;
  };
  const open = () => { const name = find("wrt").selectedOptions[0].textContent; for (const block of document.querySelectorAll("details.derivation")) block.open = block.dataset.wrt === name; };

  for (const part of ["forward", "backward", "paths"]) find(part).onclick = () => go(start[part]());
  find("back").onclick = () => go(at - 1);
  find("next").onclick = () => go(at + 1);
  find("play").onclick = play;
  find("zoom").onclick = zoom;
  find("at").oninput = (event) => go(+event.target.value);
  map.onpointerdown = map.onpointermove = go_map;
  box.onscroll = frame_map;
  addEventListener("resize", () => { fit(); frame_map(); });
  box.onclick = (event) => toggle(event.target);
  if (boxes) boxes.onchange = () => change(boxes.selectedIndex);
  find("wrt").onchange = () => { build(); open(); go(start.paths()); };
  const keys = {
    " ": play, ArrowRight: () => go(at + 1), ArrowLeft: () => go(at - 1), Home: () => go(1), End: () => go(0),
    f: () => go(start.forward()), b: () => go(start.backward()), p: () => go(start.paths()), z: zoom,
    o: opening, c: () => change(closed), Enter: (event) => toggle(event.target),
  };
  addEventListener("keydown", (event) => {
    const tag = event.target.tagName;
    if (event.ctrlKey || event.metaKey || event.altKey || tag === "SELECT") return;
    if ((event.key === " " || event.key === "Enter") && (tag === "BUTTON" || tag === "SUMMARY")) return;
    if (event.key.length > 1 && event.target.id === "at") return;
    const action = keys[event.key.length > 1 ? event.key : event.key.toLowerCase()];
    if (action) { event.preventDefault(); action(event); }
  });
  const linked = () => (/^#\d+$/.test(location.hash) ? +location.hash.slice(1) : 0);
  addEventListener("hashchange", () => { stop(); show(linked()); });
  addEventListener("beforeprint", () => { show(0); for (const block of document.querySelectorAll("details")) block.open = true; });
  body.classList.add("js");
  document.querySelector("nav").hidden = false;
  use(0);
  show(linked());
})();
