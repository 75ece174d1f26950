/** Style of the HTML report: light, dark and printed. */
export const HTML_STYLE = `
:root { color-scheme: light dark; --fg: #1b1f24; --bg: #ffffff; --soft: #f3f5f7; --line: #c4ccd4; --bad: #a40e26; --warn: #7a4a00; --good: #0a5c2e; --link: #0550ae; }
@media (prefers-color-scheme: dark) { :root { --fg: #e6edf3; --bg: #0d1117; --soft: #161b22; --line: #444c56; --bad: #ff9a9a; --warn: #f0c36d; --good: #7ee2a8; --link: #79b8ff; } }
body { margin: 0; background: var(--bg); color: var(--fg); font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 76rem; margin: 0 auto; padding: 1rem; }
a { color: var(--link); }
h1 { font-size: 1.6rem; } h2 { margin-top: 2rem; border-bottom: 1px solid var(--line); } h3 { font-size: .9rem; margin: .3rem 0; }
table { border-collapse: collapse; margin: 1rem 0; } caption { text-align: left; font-weight: 600; }
th, td { border: 1px solid var(--line); padding: .25rem .6rem; text-align: left; vertical-align: top; }
.scroll { overflow-x: auto; }
details { border: 1px solid var(--line); border-radius: .4rem; margin: .6rem 0; padding: .4rem .8rem; }
summary { cursor: pointer; font-weight: 600; }
.fail, .error { color: var(--bad); } .warn, .flaky { color: var(--warn); } .pass { color: var(--good); }
.sides { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(30rem, 100%), 1fr)); gap: .6rem; }
pre { background: var(--soft); padding: .5rem; overflow-x: auto; white-space: pre-wrap; overflow-wrap: anywhere; margin: 0; font-size: .8rem; }
ins { background: #b9f0c9; color: #08331a; text-decoration: none; } del { background: #ffd1d1; color: #5c0512; text-decoration: none; }
.end { opacity: .75; } .quiet { opacity: .85; font-size: .9rem; } .step { margin: .6rem 0 0; font-weight: 600; } ol li { margin: .3rem 0; }
@media print { :root { color-scheme: light; --fg: #000; --bg: #fff; --soft: #fff; --line: #888; --bad: #a40e26; --warn: #7a4a00; --good: #0a5c2e; --link: #000; } details { break-inside: avoid-page; } details::details-content { content-visibility: visible; block-size: auto; } .scroll { overflow: visible; } }
`
