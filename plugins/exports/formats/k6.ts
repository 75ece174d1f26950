/** A k6 load script: the requests as data, and a short loop that users can edit. */
import { allHeaders, type Entry } from '../entries.ts'
import type { Format } from '../format.ts'

export const k6: Format = {
  id: 'k6',
  title: 'k6 script',
  description:
    'Sends every request once, in a group per category; set the environment variable BASE_URL to send the requests elsewhere.',
  file: 'k6.js',
  mediaType: 'text/javascript; charset=utf-8',
  filename: 'svc-k6.js',
  write: ({ baseUrl, folders }) => `import http from 'k6/http'
import { check, group } from 'k6'

const baseUrl = __ENV.BASE_URL || ${literal(baseUrl)}

export const options = { vus: 1, iterations: 1 }

const folders = ${literal(folders.map(({ name, entries }) => ({ name: name.replaceAll('::', ':'), requests: entries.map(toRequest) })))}

export default function () {
  for (const folder of folders) {
    group(folder.name, () => {
      for (const { name, method, path, headers, body, status } of folder.requests) {
<<<<<<< HEAD
        // A documented status is not a failure, even if it is 4xx or 5xx.
=======
        // A documented status is not a failure, even 4xx and 5xx.
>>>>>>> main
        const responseCallback = http.expectedStatuses(status || { min: 200, max: 599 })
        const response = http.request(method, baseUrl + path, body, { headers: Object.fromEntries(headers), redirects: 0, timeout: '20s', tags: { name }, responseCallback })
        check(response, { [name]: ({ status }) => status > 0 })
      }
    })
  }
}
`,
}

function toRequest(entry: Entry): object {
  const { name, notes, method, target: path, body, expectStatus } = entry
  return {
    name,
    method,
    path,
    headers: joined(allHeaders(entry)),
    body,
    ...(expectStatus === null ? {} : { status: expectStatus }),
    ...(notes.length > 0 ? { notes } : {}),
  }
}

/** k6 supports one value per name, so repeated fields are joined to a list (RFC 9110, 5.3). */
function joined(headers: { name: string; value: string }[]): [string, string][] {
  const fields = new Map<string, [string, string]>()
  for (const { name, value } of headers) {
    const field = fields.get(name.toLowerCase())
    if (field) field[1] += `, ${value}`
    else fields.set(name.toLowerCase(), [name, value])
  }
  return [...fields.values()]
}

/** JSON that is also valid JavaScript, even within an HTML page. */
function literal(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(
    /[<\u2028\u2029]/g,
    character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
