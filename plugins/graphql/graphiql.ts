/** Owns the GraphiQL page: one self-contained document that asks nothing of another host. */
import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import type { Readable } from 'node:stream'
import { createGunzip, gzip } from 'node:zlib'

export interface GraphiqlPage {
  gzipped: Buffer
  etag: string
}

/**
 * Renders the page; some nine megabytes, kept compressed. It posts to the path that it was loaded from. The package
 * is loaded when the first browser asks: it is most of a start's time otherwise.
 */
export async function createGraphiqlPage(): Promise<GraphiqlPage> {
  const { renderGraphiQL } = await import('@graphql-yoga/render-graphiql')
  const gzipped = await promisify(gzip)(renderGraphiQL({ title: 'GraphiQL' }))
  return { gzipped, etag: `W/"${createHash('sha256').update(gzipped).digest('base64url').slice(0, 22)}"` }
}

/** The page for a client that does not take gzip: inflated as it reads, since nine megabytes for each client would add up. */
export function inflatePage({ gzipped }: GraphiqlPage): Readable {
  const inflated = createGunzip()
  inflated.end(gzipped)
  return inflated
}
