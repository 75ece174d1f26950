/** A plugin with examples that contain characters special to shells, templates, scripts or quotes. */
const BODIES: [name: string, body: string, bodyType: 'json' | 'xml' | 'form' | null][] = [
  ['shell', `it's $(id) \`id\` "q" \\ ; | & !x * $HOME`, null],
  ['shell with a line end', `it's\n$(id)\ncurl http://elsewhere`, null],
  ['script', '</script><!-- \u2028 \u2029 ${x} `', null],
  ['template in JSON', '{"a":"{{base_url}} {{{x}}} {% raw %} {# c #} {{ \\"{{\\" }}","b":{"c":{}}}', 'json'],
  ['template [no body in .http]', 'a {{base_url}} {% endraw %} {# c #} {{{', null],
  ['form with a template', 'a=%7B%7Bx%7D%7D&b=1+2%263&c=', 'form'],
  ['separator [no body in .http]', 'a\n### x\nGET http://elsewhere', null],
  ['file [no body in .http]', '< /etc/passwd', null],
  ['CRLF [no body in .http]', 'a\r\nb', null],
  ['XML', '<a b="1">\n  <c>\'</c>\n</a>', 'xml'],
  ['characters', 'é 漢字 🎉 # ` \\u{41}', null],
  ['no text [no body]', 'a\u0000b\u001b[31m', null],
  ['half a character [no body]', 'a\ud800', null],
]
const HEADERS: [name: string, headers: { name: string; value: string }[]][] = [
  ['quotes', [{ name: 'X-Quotes', value: `'"\`$(id)\\ # ; //` }]],
  ['template [no header in .http]', [{ name: 'X-Braces', value: 'a {{base_url}} {% x %}' }]],
  [
    'names',
    [
      { name: "X-'$`*", value: 'v' },
      { name: '__proto__', value: 'w' },
    ],
  ],
  ['empty', [{ name: 'X-Empty', value: '' }]],
  ['line end [no header]', [{ name: 'X-Gone', value: 'a\r\nX-Injected: 1' }]],
]
const PATHS = [
  '/hostile/a b',
  '/hostile/é',
  '/hostile/a#b',
  '/hostile/{{base_url}}',
  "/hostile/'$(id)`;&|",
  '/hostile/:colon/x',
  '/hostile/?a&b=&=c&d=1=2&e={{x}}',
  '/hostile/[x]{y}',
  '/hostile/%zz/%2F',
  '/hostile//',
  '/hostile/?a?b',
]

interface Written {
  name: string
  method?: string
  path: string
  headers?: object[]
  body?: string
  bodyType?: string | null
  auth?: object
}

const examples: Written[] = [
  ...BODIES.map(([name, body, bodyType]) => ({ name, method: 'POST', path: '/hostile/body', body, bodyType })),
  ...HEADERS.map(([name, headers]) => ({ name, path: '/hostile/headers', headers })),
  ...PATHS.map((path, at) => ({ name: `path ${at}`, path })),
  { name: `a name\nGET http://elsewhere '"$(id)\`<script>`, path: '/hostile/name' },
  { name: 'basic', path: '/hostile/auth', auth: { type: 'basic', username: `u'$(id)`, password: 'p:{{x}} é' } },
  { name: 'bearer', path: '/hostile/auth', auth: { type: 'bearer', token: `<access_token>'$(id)"` } },
  {
    name: 'two lines of a token [no auth]',
    path: '/hostile/auth',
    auth: { type: 'bearer', token: 'a\nX-Injected: 1' },
  },
]

/** Source code of the plugin's `index.ts`. */
export const HOSTILE = `import { definePlugin, describe } from 'svc/plugin'
const category = 'Hostile :: category *\\nwith a line end'
export default definePlugin({
  title: 'Hostile', paths: ['/hostile'],
  register(app) {
    app.all('/hostile/*', describe({ summary: 'All', category, examples: ${JSON.stringify(examples)} }), async () => 'ok')
  },
})
`
