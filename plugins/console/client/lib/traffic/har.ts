/** Captured requests as an HTTP archive (HAR 1.2). */
import { harEntry } from '../../../../../core/toolkit/har-entry.ts'
import { sentOf } from '../instance/gateway.ts'
import { headerOf, reasonPhrase, type Entry } from '../protocol/http.ts'
import { instanceBase, page } from '../instance/page.ts'

/** The archive of these entries in the order of their arrival, with the known parts of the responses. */
export function toHar(entries: readonly Entry[]): object {
  const inOrder = [...entries].sort((a, b) => a.timestamp.localeCompare(b.timestamp))
  return {
    log: { version: '1.2', creator: { name: 'svc console', version: page.version }, entries: inOrder.map(toEntry) },
  }
}

function toEntry(entry: Entry): object {
  return harEntry(entry, {
    url: urlOf(entry),
    statusText: reasonPhrase(entry.status),
    responseHeaders: sentOf(entry)?.response?.headers,
  })
}

/** The URL with the host that the client sent. */
function urlOf(entry: Entry): string {
  const base = new URL(instanceBase)
  const host = headerOf(entry.headers, 'host')
  return `${base.protocol}//${host !== null && /^[\w.:[\]-]+$/.test(host) ? host : base.host}${entry.uri}`
}
