/** The style sheet of this provider's pages, for light and dark. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --page: #eef1f5; --card: #fff; --text: #17202b; --soft: #566372; --line: #d5dce4; --field: #fff; --edge: #7d8a99;
  --accent: #0b5fb0; --accent-text: #fff; --accent-over: #094d8f; --alert: #9c1c1c; --alert-back: #fdecec;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #11161c; --card: #1a212a; --text: #e8edf3; --soft: #a3b0be; --line: #313c48; --field: #12181f; --edge: #7f8d9c;
    --accent: #6db1f5; --accent-text: #0c1620; --accent-over: #93c6f9; --alert: #ffb4b4; --alert-back: #3b1b1d;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; min-height: 100vh; padding: 1.5rem 1rem; display: grid; place-items: center;
  background: var(--page); color: var(--text); font: 1rem/1.5 system-ui, sans-serif;
}
main {
  width: 100%; max-width: 27rem; padding: 2rem; background: var(--card); border: 1px solid var(--line);
  border-radius: 14px; box-shadow: 0 10px 30px rgb(0 0 0 / 8%); overflow-wrap: anywhere;
}
h1 { margin: 0 0 .5rem; font-size: 1.5rem; line-height: 1.25; }
h2 { margin: 1.5rem 0 .5rem; font-size: .875rem; font-weight: 600; color: var(--soft); }
p { margin: 0 0 1rem; }
code { font: .9375em ui-monospace, monospace; }
table code { font-size: 1em; }
.brand { margin-bottom: 1.25rem; font-size: .875rem; color: var(--soft); }
.brand span { padding: .15rem .5rem; border-radius: 6px; background: var(--accent); color: var(--accent-text); font-weight: 700; }
.fact { color: var(--soft); }
.alert { padding: .75rem 1rem; border-radius: 8px; background: var(--alert-back); color: var(--alert); font-weight: 600; }
ul.scopes { margin: 0; padding: 0; display: flex; flex-wrap: wrap; gap: .375rem; list-style: none; }
ul.scopes li { padding: .125rem .625rem; border: 1px solid var(--line); border-radius: 999px; font-size: .875rem; }
label { display: block; margin: 1rem 0 .25rem; font-weight: 600; }
input {
  width: 100%; padding: .625rem .75rem; border: 1px solid var(--edge); border-radius: 8px;
  background: var(--field); color: var(--text); font: inherit;
}
ul.boxes { margin: 0; padding: 0; list-style: none; }
ul.boxes label { display: flex; gap: .5rem; align-items: baseline; margin: .25rem 0; font-weight: 400; }
ul.boxes input { width: auto; }
.actions { margin-top: 1.5rem; display: flex; gap: .75rem; }
button {
  flex: 1; padding: .7rem 1rem; border: 1px solid var(--accent); border-radius: 8px; background: var(--accent);
  color: var(--accent-text); font: inherit; font-weight: 600; cursor: pointer;
}
button:hover { background: var(--accent-over); border-color: var(--accent-over); }
button.quiet { background: none; border-color: var(--edge); color: var(--text); }
button.quiet:hover { background: var(--page); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
table { width: 100%; border-collapse: collapse; font-size: .875rem; }
th, td { padding: .3rem .5rem .3rem 0; border-top: 1px solid var(--line); text-align: left; }
thead th { border-top: 0; color: var(--soft); font-weight: 600; }
tbody th { font-weight: 400; }
@media (forced-colors: active) { button, input, main, .alert { border: 1px solid; } }
`
