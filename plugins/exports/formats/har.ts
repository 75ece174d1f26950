/** HTTP Archive 1.2. The requests have not been sent, so the responses are empty. */
import { allHeaders, queryOf, type Entry } from '../entries.ts'
import type { Format } from '../format.ts'

const HTTP = 'HTTP/1.1'
/** A fixed time, because the field is required but nothing has been sent. */
const STARTED = new Date(0).toISOString()
const UNKNOWN_SIZE = -1

export const har: Format = {
  id: 'har',
  title: 'HTTP Archive (HAR 1.2)',
  description: 'Requests with absolute URLs for browsers, proxies and import tools, with a page per category.',
  file: 'har.json',
  mediaType: 'application/json',
  filename: 'svc.har',
  write: ({ baseUrl, version, folders }) =>
    JSON.stringify(
      {
        log: {
          version: '1.2',
          creator: { name: 'svc', version },
          pages: folders.map(({ name }, index) => ({
            startedDateTime: STARTED,
            id: pageId(index),
            title: name,
            pageTimings: {},
          })),
          entries: folders.flatMap(({ entries }, index) =>
            entries.map(entry => toEntry(entry, baseUrl, pageId(index))),
          ),
        },
      },
      null,
      2,
    ),
}

function pageId(index: number): string {
  return `page_${index + 1}`
}

function toEntry(entry: Entry, baseUrl: string, pageref: string): object {
  return {
    pageref,
    startedDateTime: STARTED,
    time: 0,
    request: toRequest(entry, baseUrl),
    response: {
      status: 0,
      statusText: '',
      httpVersion: HTTP,
      cookies: [],
      headers: [],
      content: { size: 0, mimeType: 'x-unknown' },
      redirectURL: '',
      headersSize: UNKNOWN_SIZE,
      bodySize: UNKNOWN_SIZE,
    },
    cache: {},
    timings: { send: 0, wait: 0, receive: 0 },
    comment: [entry.name, ...entry.notes].join('. '),
  }
}

function toRequest(entry: Entry, baseUrl: string): object {
  const { method, target, body, headers } = entry
  return {
    method,
    url: baseUrl + target,
    httpVersion: HTTP,
    cookies: [],
    headers: allHeaders(entry),
    queryString: queryOf(entry),
    ...(body === null
      ? {}
      : {
          postData: {
            mimeType: headers.find(({ name }) => name.toLowerCase() === 'content-type')?.value ?? '',
            text: body,
          },
        }),
    headersSize: UNKNOWN_SIZE,
    bodySize: Buffer.byteLength(body ?? ''),
  }
}
