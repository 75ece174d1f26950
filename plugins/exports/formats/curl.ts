/** A shell script that sends every request with curl. */
import { curlArguments, quoteWord } from 'svc/toolkit'
import type { Entry } from '../entries.ts'
import type { Format } from '../format.ts'

/** Shows errors, limits the time, disables URL globbing, and starts each response on a new line. */
const COMMAND = "curl -sS --max-time 20 -g -w '\\n'"

export const curl: Format = {
  id: 'curl',
  title: 'Shell script with curl',
  description: 'One command per request; set the environment variable BASE_URL to send the requests elsewhere.',
  file: 'curl.sh',
  mediaType: 'text/x-shellscript; charset=utf-8',
  filename: 'svc-curl.sh',
  write: ({ baseUrl, folders }) =>
    `${[
      '#!/usr/bin/env bash',
      '# Sends every request once; a failure does not stop it.',
      `BASE_URL="\${BASE_URL:-${baseUrl}}"`,
      ...folders.flatMap(({ name, entries }) => ['', `# ${name}`, ...entries.flatMap(toCommand)]),
    ].join('\n')}\n`,
}

function toCommand({ name, notes, protocol, method, target, headers, auth, body, bodyType }: Entry): string[] {
  const example = { name, method, path: target, headers, body, body_type: bodyType, auth, expect_status: null }
  const words = curlArguments(example, protocol).map(quote)
  return [
    '',
    `# ${name}`,
    ...notes.map(note => `# ${note}`),
    [COMMAND, ...words, `"$BASE_URL"${quote(target)}`].join(' '),
  ]
}

const ESCAPES: Readonly<Record<string, string>> = { '\t': '\\t', '\n': '\\n', '\r': '\\r', '\\': '\\\\', "'": "\\'" }

/** A quoted word on one line; uses bash's `$'…'` if the word contains line breaks. */
function quote(word: string): string {
  return /[\t\n\r]/.test(word)
    ? `$'${word.replace(/[\t\n\r\\']/g, character => ESCAPES[character]!)}'`
    : quoteWord(word)
}
