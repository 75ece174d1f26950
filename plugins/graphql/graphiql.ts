/** The GraphiQL page: a self-contained document that loads nothing from other hosts. */
import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import type { Readable } from 'node:stream'
import { createGunzip, gzip } from 'node:zlib'

export interface GraphiqlPage {
  gzipped: Buffer
  etag: string
}

/**
 * Renders the page, about two megabytes, and keeps it compressed. It posts to the path that it was loaded from. The
 * package is loaded for the first browser, because it would take most of the start-up time.
 */
export async function createGraphiqlPage(): Promise<GraphiqlPage> {
  const { renderGraphiQL } = await import('@graphql-yoga/render-graphiql')
  const gzipped = await promisify(gzip)(renderGraphiQL({ title: 'GraphiQL' }))
  return { gzipped, etag: `W/"${createHash('sha256').update(gzipped).digest('base64url').slice(0, 22)}"` }
}

/** The page for a client that does not accept gzip, inflated as the client reads to save memory. */
export function inflatePage({ gzipped }: GraphiqlPage): Readable {
  const inflated = createGunzip()
  inflated.end(gzipped)
  return inflated
}
