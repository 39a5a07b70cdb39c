"use strict";
/*
 * Steps through recorded executions. Everything it shows is in the page's JSON; text goes into the page as
 * text, never as markup.
 */
(() => {
	const make = (tag, className, text) => {
		const e = document.createElement(tag);
		if (className) e.className = className;
		if (text !== undefined) e.textContent = text;
		return e;
	};

	class Player {
		constructor(section, number) {
			this.number = number;
			this.data = JSON.parse(section.querySelector("script[type='application/json']").textContent);
			this.rows = [...section.querySelectorAll("[data-k]")];
			this.scroll = section.querySelector(".scroll");
			this.panel = section.querySelector(".panel");
			this.at = this.data.failure;
			this.build();
			section.querySelector(".work").classList.add("live");
			this.panel.hidden = false;
			const list = section.querySelector("details.all");
			if (list) list.open = false;
			this.scroll.addEventListener("click", (e) => {
				const row = e.target.closest("[data-k]");
				if (!row) return;
				Player.current = this;
				this.select(+row.dataset.k);
			});
		}

		build() {
			const bar = make("div", "bar");
			const button = (text, title, to) => {
				const b = make("button", "", text);
				b.type = "button";
				b.title = title;
				b.setAttribute("aria-label", title);
				b.addEventListener("click", () => { Player.current = this; this.select(to()); });
				bar.append(b);
			};
			button("|◀", "first step", () => 0);
			button("◀", "step before", () => this.at - 1);
			button("▶", "next step", () => this.at + 1);
			button("▶|", "the violation", () => this.data.failure);
			this.count = make("span", "count");
			bar.append(this.count);
			const label = make("label", "hint");
			const box = make("input");
			box.type = "checkbox";
			box.checked = true;
			box.addEventListener("change", () => this.scroll.classList.toggle("fold", !box.checked));
			label.append(box, "show unlocks, signals and the like");
			this.body = make("div");
			this.panel.replaceChildren(bar, this.body, label,
				make("p", "hint", "Arrow keys or a click choose a step; with Shift, of the same thread. Home and End: the ends."));
		}

		last() { return this.data.steps.length - 1; }

		same(direction) {
			const thread = this.data.steps[this.at].thread;
			for (let i = this.at + direction; i >= 0 && i < this.data.steps.length; i += direction)
				if (this.data.steps[i].thread === thread)
					return i;
			return this.at;
		}

		select(k, quiet) {
			this.at = Math.max(0, Math.min(this.last(), k));
			for (const row of this.rows)
				row.classList.toggle("sel", +row.dataset.k === this.at);
			const row = this.rows.find((r) => +r.dataset.k === this.at);
			if (row) {
				const box = row.getBoundingClientRect(), view = this.scroll.getBoundingClientRect();
				if (box.top < view.top + 48)
					this.scroll.scrollTop -= view.top + 48 - box.top;
				else if (box.bottom > view.bottom - 8)
					this.scroll.scrollTop += box.bottom - view.bottom + 8;
			}
			this.show();
			if (!quiet)
				history.replaceState(null, "", `#v${this.number}s${this.at}`);
		}

		show() {
			const step = this.data.steps[this.at], body = [];
			this.count.textContent = `${this.at + 1} of ${this.data.steps.length}`;
			const what = make("p", "what", step.end ? step.text : `#${step.n} ${this.data.threads[step.thread] || "thread " + step.thread}: ${step.text}`);
			body.push(what);
			if (step.at) body.push(make("p", "at mono", step.at));
			if (step.asides && step.asides.length) {
				const list = make("ul", "flat hint");
				for (const a of step.asides) list.append(make("li", "", "then " + a));
				body.push(list);
			}
			this.values(body);
			this.source(step, body);
			if (step.stack && step.stack.length > 1) {
				const d = make("details");
				d.append(make("summary", "", "Stack"));
				const list = make("ul", "flat mono");
				for (const f of step.stack) list.append(make("li", "", f));
				d.append(list);
				body.push(d);
			}
			this.output(body);
			this.body.replaceChildren(...body);
		}

		values(body) {
			const values = new Map(), now = new Set();
			for (let i = 0; i <= this.at; i++)
				for (const line of this.data.steps[i].changed || []) {
					const m = /^(.*?)(?:: (.*) → (.*)| = (.*))$/.exec(line);
					if (!m) continue;
					values.delete(m[1]);
					values.set(m[1], m[4] !== undefined ? m[4] : `${i === this.at ? m[2] + " → " : ""}${m[3]}`);
					if (i === this.at) now.add(m[1]);
				}
			if (!values.size) return;
			body.push(make("h3", "", now.size ? "Changed by this step, and values before it" : "Values so far"));
			const table = make("table", "values mono");
			for (const name of [...values.keys()].reverse().slice(0, 14)) {
				const tr = make("tr", now.has(name) ? "now" : "");
				tr.append(make("td", "", name), make("td", "", values.get(name)));
				table.append(tr);
			}
			body.push(table);
		}

		source(step, body) {
			const file = step.file && this.data.files[step.file];
			if (!file) return;
			body.push(make("h3", "", "Source"));
			const pre = make("pre", "src");
			for (let n = step.line - 7; n <= step.line + 7; n++) {
				if (file[n] === undefined) continue;
				const line = make("span", n === step.line ? "here" : "");
				line.append(make("i", "", String(n)), make("code", "", file[n] || " "));
				pre.append(line);
			}
			if (pre.childNodes.length) body.push(pre);
		}

		output(body) {
			const pre = make("pre", "output");
			for (let i = 0; i <= this.at; i++)
				for (const [fd, text] of this.data.steps[i].out || [])
					pre.append(make("span", fd === 2 ? "err" : "", text));
			if (!pre.childNodes.length) return;
			body.push(make("h3", "", "Output so far"), pre);
		}
	}

	const players = [...document.querySelectorAll("section.bug")].map((s, i) => new Player(s, i + 1));
	if (!players.length) return;
	Player.current = players[0];
	const asked = /^#v(\d+)s(\d+)$/.exec(location.hash);
	/* The end of the first drawing is what one came for: it ends where the window does. */
	const fit = () => {
		const box = players[0].scroll, beside = matchMedia("(min-width: 60.01rem)").matches;
		const room = innerHeight - (box.getBoundingClientRect().top + scrollY) - 16;
		box.style.maxHeight = beside && room > 280 ? `${room}px` : "";
	};
	fit();
	addEventListener("resize", fit);
	players.forEach((p) => {
		p.scroll.scrollTop = p.scroll.scrollHeight; /* who waits for whom stands below the violation */
		p.select(p.data.failure, true);
	});
	if (asked && players[asked[1] - 1]) {
		Player.current = players[asked[1] - 1];
		Player.current.select(+asked[2]);
	}
	document.addEventListener("keydown", (e) => {
		const p = Player.current;
		if (e.altKey || e.ctrlKey || e.metaKey || /^(INPUT|TEXTAREA|SELECT)$/.test(e.target.tagName)) return;
		const on = e.key === "ArrowDown" || e.key === "ArrowRight" || e.key === "j";
		const back = e.key === "ArrowUp" || e.key === "ArrowLeft" || e.key === "k";
		if (on || back)
			p.select(e.shiftKey ? p.same(on ? 1 : -1) : p.at + (on ? 1 : -1));
		else if (e.key === "Home" || e.key === "End")
			p.select(e.key === "Home" ? 0 : p.last());
		else
			return;
		e.preventDefault();
	});
})();
