/** Captured requests as an HTTP archive (HAR 1.2). */
import { harEntry } from '../toolkit/har-entry.ts'
import type { InspectorEntry } from '../contract/observation.ts'

/** The JSON text of an archive, in pieces. Entries are expected oldest first; `baseUrl` is the origin of their URLs. */
export function* harText(entries: Iterable<InspectorEntry>, baseUrl: string, version: string): Generator<string> {
  const creator = JSON.stringify({ name: 'svc', version })
  yield `{"log":{"version":"1.2","creator":${creator},"entries":[`
  let separator = '\n'
  for (const entry of entries) {
    yield separator + JSON.stringify(harEntry(entry, { url: baseUrl + entry.uri }))
    separator = ',\n'
  }
  yield '\n]}}\n'
}
