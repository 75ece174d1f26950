/**
 * Reports as one HTML file without scripts: light, dark and printed. Colors, sizes and chips are those of the
 * user interface in the browser (`tokens.css`), so that both look like parts of one product.
 */
import { escapeHtml } from './html.ts'
import { visible } from './visible-text.ts'

const LIGHT =
  '--bg: #f5f6f8; --surface: #ffffff; --surface-2: #eef1f4; --border: #d8dee5; --text: #18212c; --text-2: #4b5866; --accent: #0b5cad; --focus: #0b5cad; --good: #14693f; --good-soft: #e0f3e8; --warn: #855000; --warn-soft: #fcefd4; --bad: #b02419; --bad-soft: #fce6e3; --info: #4a4f9d; --info-soft: #e9eafa;'
const DARK =
  '--bg: #0e1318; --surface: #161c23; --surface-2: #1f2730; --border: #2d3742; --text: #e5eaf0; --text-2: #a4b1be; --accent: #6db3f8; --focus: #8cc4fb; --good: #63cf95; --good-soft: #12321f; --warn: #f0b44d; --warn-soft: #38290b; --bad: #ff8f84; --bad-soft: #431a16; --info: #aeb3ff; --info-soft: #25274a;'

const STYLE = `
:root { color-scheme: light dark; ${LIGHT} --sans: system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", "Liberation Sans", Arial, sans-serif; --mono: ui-monospace, "SF Mono", "Cascadia Code", Menlo, Consolas, "Liberation Mono", "DejaVu Sans Mono", monospace; }
@media (prefers-color-scheme: dark) { :root { ${DARK} } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--bg); color: var(--text); font: .875rem/1.5 var(--sans); }
main { max-width: 80rem; margin: 0 auto; padding: 1.5rem 1rem 3rem; }
a { color: var(--accent); text-underline-offset: .15em; }
:focus-visible { outline: 2px solid var(--focus); outline-offset: 2px; }
h1, h2, h3, p, pre, dl, dd { margin: 0; }
h1 { font-size: 1.25rem; line-height: 1.3; font-weight: 650; letter-spacing: -.01em; overflow-wrap: anywhere; }
h2 { font-size: 1rem; font-weight: 650; margin: 0 0 .5rem; }
h3 { font-size: .8125rem; font-weight: 650; margin-bottom: .25rem; }
p + p, h2 + p { margin-top: .5rem; }
.brand { color: var(--text-2); font-size: .75rem; font-weight: 600; letter-spacing: .02em; margin-bottom: .25rem; }
.quiet { color: var(--text-2); font-size: .8125rem; }
.panel { background: var(--surface); border: 1px solid var(--border); border-radius: .625rem; padding: 1rem; margin-top: 1rem; }
.counters { display: grid; grid-template-columns: repeat(auto-fit, minmax(7rem, 1fr)); gap: .75rem; margin: 1rem 0 0; }
.counters div { background: var(--surface); border: 1px solid var(--border); border-radius: .625rem; padding: .75rem 1rem; }
.counters dt { color: var(--text-2); font-size: .75rem; font-weight: 600; }
.counters dd { font-size: 1.25rem; font-weight: 650; font-variant-numeric: tabular-nums; }
.scroll { overflow-x: auto; }
table { width: 100%; border-collapse: collapse; font-size: .8125rem; font-variant-numeric: tabular-nums; }
caption { text-align: left; font-size: 1rem; font-weight: 650; padding-bottom: .5rem; }
th, td { padding: .4rem .75rem .4rem 0; border-bottom: 1px solid var(--border); text-align: left; vertical-align: top; }
tbody tr:last-child > * { border-bottom: 0; }
thead th { color: var(--text-2); font-size: .75rem; font-weight: 600; white-space: nowrap; }
tbody th { font-weight: 550; overflow-wrap: anywhere; min-width: 8rem; }
td.none { color: var(--text-2); }
ol, ul { margin: .5rem 0 0; padding-left: 1.25rem; } li { margin: .4rem 0; }
.chip { display: inline-block; border-radius: .375rem; padding: 0 .4rem; font-size: .75rem; font-weight: 600; line-height: 1.5; background: var(--surface-2); color: var(--text-2); }
.chip.fail, .chip.error { background: var(--bad-soft); color: var(--bad); }
.chip.warn, .chip.flaky { background: var(--warn-soft); color: var(--warn); }
.chip.note { background: var(--info-soft); color: var(--info); }
.chip.pass { background: var(--good-soft); color: var(--good); }
.fail, .error { color: var(--bad); } .warn, .flaky { color: var(--warn); } .pass { color: var(--good); } .note { color: var(--info); } .skip { color: var(--text-2); }
details { border: 1px solid var(--border); border-radius: .625rem; margin: .75rem 0; padding: .5rem .75rem; }
details > * + * { margin-top: .5rem; }
summary { cursor: pointer; font-weight: 600; }
.sides { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(28rem, 100%), 1fr)); gap: .75rem; }
.sides > div { min-width: 0; }
pre { background: var(--surface-2); border-radius: .375rem; padding: .5rem .75rem; overflow-x: auto; white-space: pre-wrap; overflow-wrap: anywhere; font: .75rem/1.6 var(--mono); }
ins { background: var(--good-soft); color: var(--good); text-decoration: none; } del { background: var(--bad-soft); color: var(--bad); text-decoration: none; }
.end { color: var(--text-2); font-size: .6875rem; user-select: none; }
.step { font-weight: 600; }
@media print { :root { color-scheme: light; ${LIGHT} --bg: #ffffff; --surface-2: #ffffff; --accent: #18212c; } .panel, .counters div { border-color: #888; } details { break-inside: avoid-page; } details::details-content { content-visibility: visible; block-size: auto; } .scroll { overflow: visible; } }
`

export interface ReportPage {
  title: string
  /** What wrote the report. */
  brand: string
  /** HTML below the title. */
  head: string
  /** HTML. */
  body: string
}

/** The policy of the page is its own: nothing is loaded. */
export function reportPage({ title, brand, head, body }: ReportPage): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(visible(title))}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<header>
<p class="brand">${escapeHtml(brand)}</p>
<h1>${escapeHtml(visible(title))}</h1>
${head}
</header>
${body}
</main>
</body>
</html>
`
}
