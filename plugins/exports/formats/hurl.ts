/** Requests for Hurl (hurl.dev, grammar of version 5 and later). */
import { allHeaders, type Entry } from '../entries.ts'
import type { Format } from '../format.ts'

export const hurl: Format = {
  id: 'hurl',
  title: 'Hurl file',
  description: 'Requests for Hurl that accept any status; set the target with --variable base_url=….',
  file: 'requests.hurl',
  mediaType: 'text/plain; charset=utf-8',
  filename: 'svc.hurl',
  write: ({ baseUrl, folders }) =>
    [
      `# hurl --variable base_url=${baseUrl} svc.hurl`,
      ...folders.flatMap(({ name, entries }) => ['', `# ${name}`, ...entries.map(toEntry)]),
      '',
    ].join('\n'),
}

function toEntry(entry: Entry): string {
  const { name, notes, method, target, body } = entry
  return [
    '',
    `# ${name}`,
    ...notes.map(note => `# ${note}`),
    `${method} {{base_url}}${escape(target)}`,
    ...allHeaders(entry).map(header => `${escapeName(header.name)}: ${escape(header.value)}`),
    ...(body === null ? [] : [`\`${escape(body)}\``]),
    'HTTP *',
  ].join('\n')
}

/** Escapes comments (`#`), variables (`{{`), backslashes, and spaces at either end, which would be trimmed. */
function escape(text: string): string {
  return text.replace(/[\\`#\p{Cc}]|\{(?=\{)|^ | $/gu, byCode)
}

/** Hurl allows fewer characters in header names than HTTP. */
function escapeName(name: string): string {
  return name.replace(/[^A-Za-z0-9_.-]/g, byCode)
}

function byCode(character: string): string {
  return `\\u{${character.charCodeAt(0).toString(16)}}`
}
