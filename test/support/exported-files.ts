/** Strict parsers for exported formats that have no library: anything unexpected is an error. */
import { basic, headersOf, type Exported } from './exported.ts'

const BASE = '{{base_url}}'

/** Requests of a `.http` file. */
export function readHttpFile(text: string): { baseUrl: string; requests: Exported[] } {
  const [first = '', ...rest] = text.split(/^### /m)
  const base = /^@base_url = (\S+)\n\n(?:# Left out, since .*\n\n)?$/.exec(first)
  if (!base) throw new Error(`the file begins with ${first}`)
  return { baseUrl: base[1]!, requests: rest.map(readBlock) }
}

function readBlock(block: string): Exported {
  const lines = block.split('\n')
  const name = lines.shift()!
  const [category, ...comments] = takeWhile(lines, line => line.startsWith('# '))
  for (const comment of comments)
    if (comment.startsWith('# @') && comment !== '# @no-redirect') throw new Error(`an instruction: ${comment}`)
  const { method, target } = readRequestLine(lines.shift()!)
  const headers = headersOf(takeWhile(lines, line => line !== '').map(readHeader))
  lines.shift()
  while (lines.at(-1) === '') lines.pop()
  for (const line of lines) if (/^(?:[<>]\s|<@)|\{\{|\r/.test(line)) throw new Error(`a client would not send ${line}`)
  const lineEnd = headers['content-type']?.startsWith('multipart/') ? '\r\n' : '\n'
  return {
    name,
    category: category!.slice(2),
    method,
    target,
    headers,
    body: lines.length === 0 ? null : lines.join(lineEnd),
  }
}

/** Requests of a Hurl file (grammar: hurl.dev/docs/grammar.html), limited to the parts in use. */
export function readHurl(text: string): Exported[] {
  const lines = text.split('\n')
  const requests: Exported[] = []
  let category = ''
  while (lines.length > 0) {
    const comments = takeWhile(lines, line => line === '' || line.startsWith('#'))
    if (lines.length === 0) break
    // A category is between two blank lines; the name of a request precedes it.
    comments.forEach((line, at) => {
      if (line.startsWith('# ') && comments[at + 1] === '' && comments[at - 1] === '') category = line.slice(2)
    })
    const name = comments.slice(comments.lastIndexOf('') + 1)[0]!.slice(2)
    const { method, target } = readRequestLine(lines.shift()!)
    const headers = headersOf(takeWhile(lines, line => line !== 'HTTP *' && !line.startsWith('`')).map(readHurlHeader))
    const body = lines[0]!.startsWith('`') ? /^`([^`]*)`$/.exec(lines.shift()!)![1]! : null
    if (lines.shift() !== 'HTTP *') throw new Error(`${name} has no response`)
    requests.push({
      name,
      category,
      method,
      target: unescape(target),
      headers,
      body: body === null ? null : unescape(body),
    })
  }
  return requests
}

/** A Hurl name may contain letters, digits, `_`, `.`, `-` and escapes (grammar: key-string). */
function readHurlHeader(line: string): { name: string; value: string } {
  const { name, value } = readHeader(line)
  if (!/^(?:[\w.-]|\\u\{[0-9a-f]+\})+$/.test(name)) throw new Error(`no name of a header: ${name}`)
  return { name: unescape(name), value: unescape(value) }
}

function unescape(text: string): string {
  if (/\{\{|#|\\(?!u\{)/.test(text)) throw new Error(`not escaped: ${text}`)
  return text.replace(/\\u\{([0-9a-f]+)\}/g, (_, code: string) => String.fromCodePoint(parseInt(code, 16)))
}

function takeWhile(lines: string[], test: (line: string) => boolean): string[] {
  const end = lines.findIndex(line => !test(line))
  return lines.splice(0, end === -1 ? lines.length : end)
}

function readRequestLine(line: string): { method: string; target: string } {
  const match = /^([A-Z]+) (\{\{base_url\}\})(\/\S*)$/.exec(line)
  if (!match) throw new Error(`no request line: ${line}`)
  return { method: match[1]!, target: match[3]! }
}

function readHeader(line: string): { name: string; value: string } {
  const match = /^([^\s:]+): ?(.*)$/.exec(line)
  if (!match) throw new Error(`no header: ${line}`)
  return { name: match[1]!, value: match[2]! }
}

interface InsomniaResource {
  _id: string
  _type: string
  parentId: string | null
  name: string
  method: string
  url: string
  data?: { base_url: string }
  headers: { name: string; value: string }[]
  authentication: { type?: string; username: string; password: string; token: string }
  body: { mimeType?: string; text?: string; params?: { name: string; value: string }[] }
}

/** Requests of Insomnia resources, with their templates rendered. */
export function readInsomnia(
  resources: InsomniaResource[],
  encodeForm: (pairs: { name: string; value: string }[]) => string,
): Exported[] {
  const folders = new Map(
    resources.filter(({ _type }) => _type === 'request_group').map(({ _id, name }) => [_id, name]),
  )
  return resources
    .filter(({ _type }) => _type === 'request')
    .map(({ parentId, name, method, url, headers, authentication, body }) => {
      const fields = headersOf(headers.map(header => ({ name: header.name, value: render(header.value) })))
      if (authentication.type === 'basic')
        fields.authorization = basic(render(authentication.username), render(authentication.password))
      if (authentication.type === 'bearer') fields.authorization = `Bearer ${render(authentication.token)}`
      const form =
        body.params && encodeForm(body.params.map(pair => ({ name: render(pair.name), value: render(pair.value) })))
      return {
        name,
        category: folders.get(parentId!)!,
        method,
        target: withoutBase(render(url)),
        headers: fields,
        body: form ?? (body.text === undefined ? null : render(body.text)),
      }
    })
}

/** Renders the Nunjucks tags in use. */
function render(template: string): string {
  return template.replace(/\{\{ (?:"([^"]*)"|_\.base_url) \}\}|\{[{%#]/g, (tag, literal: string | undefined) => {
    if (/^\{[{%#]$/.test(tag)) throw new Error(`a tag in ${template}`)
    return literal ?? BASE
  })
}

/** The URL after the base URL variable. */
export function withoutBase(url: string): string {
  if (!url.startsWith(`${BASE}/`)) throw new Error(`no base URL: ${url}`)
  return url.slice(BASE.length)
}
