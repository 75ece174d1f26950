/**
 * Sends the requests of exports that no tool runs by itself, and checks the expected statuses.
 * Takes long: it sends every example.
 */
import t from 'tap'
import type { Catalog } from '../../../core/contract/plugin.ts'
import { headersOf } from '../../support/exported.ts'
import { readHttpFile } from '../../support/exported-files.ts'
import { examplesOf } from '../../support/exported-run.ts'
import { record } from '../../support/recorder.ts'
import { send } from '../../support/request.ts'
import { serve } from '../../support/server.ts'

const server = await serve(t)
const fetchText = async (path: string): Promise<string> => (await fetch(server.url + path)).text()
const catalog = JSON.parse(await fetchText('/_svc/catalog')) as Catalog

t.test('requests of the .http file get their expected statuses [EXPORT-9]', async t => {
  const { url, requests } = await record(t, server.url)
  const { requests: entries } = readHttpFile(await fetchText('/export/requests.http'))
  for (const { method, target, headers, body } of entries) {
    t.not(method, 'QUERY', 'clients do not know the method')
    await send(url, target, { method, headers: { ...headers }, body: body ?? undefined }).catch(() => {})
  }
  for (const request of requests) if (request.headers['content-type']?.startsWith('multipart/')) request.body += '\r\n'
  examplesOf(catalog, { without: 'QUERY' }).verify(t, requests)
})

t.test('requests of the HAR get their expected statuses [EXPORT-9]', async t => {
  const { url, requests } = await record(t, server.url)
  const { log } = JSON.parse(await fetchText(`/export/har.json?base_url=${url}`)) as {
    log: {
      entries: {
        request: {
          method: string
          url: string
          headers: { name: string; value: string }[]
          postData?: { text: string }
        }
      }[]
    }
  }
  for (const { request } of log.entries) {
    await send(url, request.url.slice(url.length), {
      method: request.method,
      headers: headersOf(request.headers),
      body: request.postData?.text,
    }).catch(() => {})
  }
  examplesOf(catalog).verify(t, requests)
})
