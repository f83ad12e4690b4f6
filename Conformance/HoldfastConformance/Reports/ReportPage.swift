/// The style and the script of the report's page.
enum ReportPage {
  static let style = """
    :root { color-scheme: light dark; --paper: #fff; --ink: #1b1f24; --soft: #5c6670;
      --line: #e2e6ea; --raised: #f6f8fa; --ok: #18794e; --ok-tint: #e3f5ea; --bad: #b3261e;
      --bad-tint: #fdeceb; --some: #80600a; --some-tint: #fbf2d5; --focus: #2563eb; }
    @media (prefers-color-scheme: dark) { :root { --paper: #111417; --ink: #e4e7ea;
      --soft: #98a2ac; --line: #2b3138; --raised: #1a1e23; --ok: #5ad19a; --ok-tint: #12301f;
      --bad: #ff8f86; --bad-tint: #3b1714; --some: #e3c568; --some-tint: #302809;
      --focus: #7aa7ff; } }
    * { box-sizing: border-box; }
    body { margin: 0 auto; max-width: 78rem; padding: 2rem 1.5rem 3rem; background: var(--paper);
      color: var(--ink); font: 15px/1.5 system-ui, -apple-system, "Segoe UI", sans-serif; }
    code, pre, dd, ol { font-family: ui-monospace, "SF Mono", Menlo, Consolas, monospace; }
    h1, h2, h3, p, dl, dd, pre, fieldset { margin: 0; }
    .name { color: var(--soft); font-weight: 600; }
    h1 { font-size: 1.9rem; line-height: 1.25; margin: .2rem 0; letter-spacing: -.01em; }
    h1.ok { color: var(--ok); } h1.bad { color: var(--bad); }
    .facts, .soft, .engine { color: var(--soft); }
    .backends { display: grid; gap: .75rem; margin: 1.5rem 0;
      grid-template-columns: repeat(auto-fit, minmax(12.5rem, 1fr)); }
    article { border: 1px solid var(--line); border-radius: .6rem; padding: .8rem 1rem;
      display: flex; flex-direction: column; font-size: .87rem; }
    article h2 { font-size: 1.05rem; overflow-wrap: anywhere; }
    article.bad { border-color: var(--bad); }
    .engine { margin-bottom: .4rem; overflow-wrap: anywhere; }
    .count.bad { color: var(--bad); }
    .bar { display: flex; height: .35rem; border-radius: .2rem; overflow: hidden;
      margin: auto 0 .4rem; background: var(--line); }
    .failed { margin-bottom: .6rem; }
    .bar i { flex-basis: 0; } .bar .ok { background: var(--ok); }
    .bar .some { background: var(--some); } .bar .bad { background: var(--bad); }
    .tools { display: flex; flex-wrap: wrap; gap: .6rem; align-items: center; padding: .7rem 0;
      position: sticky; top: 0; background: var(--paper); z-index: 2; }
    .tools[hidden] { display: none; }
    input[type=search], select { font: inherit; color: inherit; background: var(--raised);
      border: 1px solid var(--line); border-radius: .5rem; padding: .4rem .65rem; min-width: 0; }
    input[type=search] { flex: 1 1 15rem; }
    fieldset { border: 1px solid var(--line); border-radius: .5rem; padding: 0; display: flex;
      overflow: hidden; min-width: 0; }
    fieldset input { position: absolute; opacity: 0; pointer-events: none; }
    fieldset span { display: block; padding: .4rem .7rem; cursor: pointer; white-space: nowrap;
      background: var(--raised); }
    fieldset label + label span { border-left: 1px solid var(--line); }
    fieldset small { color: var(--soft); }
    fieldset input:checked + span { background: var(--ink); color: var(--paper); }
    fieldset input:checked + span small { color: inherit; opacity: .75; }
    :focus-visible, fieldset input:focus-visible + span { outline: 2px solid var(--focus);
      outline-offset: -2px; }
    output { color: var(--soft); margin-left: auto; font-variant-numeric: tabular-nums; }
    table { border-collapse: collapse; width: 100%; }
    thead th { text-align: left; font-weight: 600; font-size: .85rem; color: var(--soft);
      padding: .4rem .6rem; border-bottom: 2px solid var(--line); }
    thead button { all: unset; cursor: pointer; }
    thead button:focus-visible { outline: 2px solid var(--focus); }
    th[aria-sort=none] button::after { content: " ↕"; opacity: .45; }
    th[aria-sort=ascending] button::after { content: " ↑"; }
    th[aria-sort=descending] button::after { content: " ↓"; }
    tbody tr:first-child > * { border-top: 1px solid var(--line); }
    tbody th, tbody td { text-align: left; vertical-align: top; font-weight: 400;
      padding: .5rem .6rem; }
    tbody code { font-size: .87rem; font-weight: 600; overflow-wrap: anywhere; }
    .rule { display: block; color: var(--soft); }
    .area { color: var(--soft); white-space: nowrap; }
    thead th.cell, td.cell { text-align: center; }
    td.cell { font-weight: 700; width: 4.6rem; }
    td.ok { color: var(--ok); } td.some { color: var(--some); background: var(--some-tint); }
    td.bad { color: var(--bad); background: var(--bad-tint); }
    .backend, .unit { display: none; }
    thead th.checks, td.checks { text-align: right; color: var(--soft);
      font-variant-numeric: tabular-nums; }
    .why td { padding: 0 .6rem .8rem; }
    details { border-left: 3px solid var(--bad); background: var(--raised);
      border-radius: 0 .5rem .5rem 0; }
    summary { cursor: pointer; padding: .45rem .8rem; overflow-wrap: anywhere; }
    summary small { color: var(--soft); }
    .failure { padding: .6rem .9rem .8rem; border-top: 1px solid var(--line); }
    h3 { font-size: 1rem; margin-bottom: .3rem; overflow-wrap: anywhere; }
    dl { display: grid; grid-template-columns: 5.2rem minmax(0, 1fr); gap: .25rem .8rem;
      font-size: .87rem; margin-bottom: .5rem; }
    dt { color: var(--soft); }
    dd { overflow-wrap: anywhere; } dd a { color: var(--focus); }
    dd.text { font-family: inherit; }
    dd pre { font-size: inherit; white-space: pre-wrap; overflow-wrap: anywhere;
      font-family: inherit; }
    dd.expected pre, dd.got pre { border-radius: .3rem; padding: .1rem .45rem; }
    dd.expected pre { background: var(--ok-tint); } dd.got pre { background: var(--bad-tint); }
    .place { color: var(--soft); font-size: .95em; }
    ol { margin: 0; padding-left: 2.2rem; } ol li::marker { color: var(--soft); }
    #none { padding: 2rem 0; text-align: center; color: var(--soft); }
    #none button { font: inherit; color: var(--focus); background: none; border: 0;
      cursor: pointer; text-decoration: underline; }
    footer { margin-top: 1.5rem; color: var(--soft); font-variant-numeric: tabular-nums; }
    @media (max-width: 46rem) {
      body { padding: 1.2rem 1rem 2rem; }
      h1 { font-size: 1.5rem; }
      .backends { grid-template-columns: 1fr; gap: .5rem; margin: 1rem 0; }
      article { padding: .55rem .8rem .65rem; flex-flow: row wrap; gap: 0 .8rem;
        align-items: baseline; }
      .engine { flex: 1; margin: 0; } .bar { flex: 1 1 100%; order: 1; margin: .35rem 0 0; }
      article .time { display: none; } .failed { margin: 0; }
      .tools { gap: .5rem; position: static; }
      input[type=search], fieldset { flex: 1 1 100%; }
      fieldset label { flex: 1 1 auto; } fieldset span { padding: .4rem .3rem; text-align: center; }
      select { flex: 1 1 0; }
      output { flex: 1 1 100%; margin: 0; }
      thead { display: none; }
      table, tbody, tr, th, td { display: block; }
      tbody { border: 1px solid var(--line); border-radius: .6rem; margin-bottom: .6rem;
        overflow: hidden; }
      tbody[hidden] { display: none; }
      tbody[data-status=failed] { border-color: var(--bad); }
      tbody tr:first-child { padding: .6rem .8rem; display: flex; flex-wrap: wrap; gap: .35rem; }
      tbody tr:first-child > * { border: 0; padding: 0; }
      tbody tr:first-child th { flex: 1 1 100%; }
      td.area { display: none; }
      td.cell { width: auto; font-size: .87rem; border-radius: 1rem;
        padding: .05rem .6rem !important; background: var(--ok-tint); }
      td.some { background: var(--some-tint); } td.bad { background: var(--bad-tint); }
      .backend { display: inline; font-weight: 400; margin-right: .35rem; }
      .unit { display: inline; }
      td.checks { font-size: .87rem; align-self: center; margin-left: auto; }
      .why td { padding: 0; }
      details { border-left: 0; border-top: 1px solid var(--line); border-radius: 0; }
      dl { grid-template-columns: 1fr; gap: 0; } dd { margin-bottom: .35rem; }
    }
    @media print { .tools { display: none; } }
    """

  static let script = """
    (() => {
      const table = document.querySelector("table");
      const rows = [...table.tBodies];
      const tools = document.querySelector(".tools");
      const text = document.getElementById("text");
      const area = document.getElementById("area");
      const sort = document.getElementById("sort");
      const shown = document.getElementById("shown");
      const none = document.getElementById("none");
      const words = rows.map((row) => row.textContent.toLowerCase());
      const order = {
        status: () => 0,
        id: (a, b) => (a.dataset.id < b.dataset.id ? -1 : 1),
        area: (a, b) =>
          a.dataset.area === b.dataset.area ? 0 : a.dataset.area < b.dataset.area ? -1 : 1,
        checks: (a, b) => b.dataset.checks - a.dataset.checks,
      };
      const filter = () => {
        const parts = text.value.toLowerCase().split(/\\s+/).filter(Boolean);
        const status = tools.elements.status.value;
        let count = 0;
        rows.forEach((row, index) => {
          row.hidden = !(
            (!status || row.dataset.status === status) &&
            (!area.value || row.dataset.area === area.value) &&
            parts.every((part) => words[index].includes(part))
          );
          if (!row.hidden) count += 1;
        });
        shown.value = count === rows.length ? "" : `${count} of ${rows.length} cases`;
        none.hidden = count > 0;
      };
      let isReversed = false;
      const arrange = () => {
        const sorted = rows
          .map((row, index) => ({ row, index }))
          .sort((a, b) => order[sort.value](a.row, b.row) || a.index - b.index)
          .map((entry) => entry.row);
        table.append(...(isReversed ? sorted.reverse() : sorted));
        for (const button of table.querySelectorAll("thead button")) {
          const isSorted = button.dataset.sort === sort.value;
          const isDescending = (sort.value === "checks") !== isReversed;
          button.parentElement.ariaSort =
            !isSorted ? "none" : isDescending ? "descending" : "ascending";
        }
      };
      for (const button of table.querySelectorAll("thead button")) {
        button.addEventListener("click", () => {
          isReversed = sort.value === button.dataset.sort && !isReversed;
          sort.value = button.dataset.sort;
          arrange();
        });
      }
      sort.addEventListener("change", () => {
        isReversed = false;
        arrange();
      });
      tools.addEventListener("input", filter);
      tools.addEventListener("submit", (event) => event.preventDefault());
      document.getElementById("clear").addEventListener("click", () => {
        tools.reset();
        isReversed = false;
        arrange();
        filter();
      });
      tools.hidden = false;
      filter();
    })();
    """
}
