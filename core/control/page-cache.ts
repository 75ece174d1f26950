/** Caches pages that depend only on the base URL and the generation. */
import { Pacer } from '../contract/budgets.ts'
import { BoundedMap } from '../collections/bounded-map.ts'

/** Maximum number of cached pages. Clients can create any number of base URLs with the `Host` header. */
const MAX_PAGES = 16

/**
 * Returns a function that builds the page for a base URL and caches the last 16 pages as bytes. Building takes some time, so
 * pages for other base URLs are built one at a time, with pauses.
 */
export function cachePages(build: (baseUrl: string) => string): (baseUrl: string) => Buffer | Promise<Buffer> {
  const pages = new BoundedMap<Buffer>(MAX_PAGES)
  return baseUrl => pages.get(baseUrl) ?? add(baseUrl)

  async function add(baseUrl: string): Promise<Buffer> {
    await new Pacer().pause()
    let page = pages.get(baseUrl)
    if (page === undefined) pages.set(baseUrl, (page = Buffer.from(build(baseUrl))))
    return page
  }
}

/** The base URL with which a document is built, and which is replaced for each request. */
const PLACEHOLDER = 'http://base-url.invalid'

export interface BaseUrlDocument {
  /** Builds the text; `baseUrl` occurs in it once, as `write` writes it. */
  build(baseUrl: string): Promise<string>
  /** The base URL as it occurs in the text. */
  write(baseUrl: string): string
}

/** Documents of about a megabyte that are kept for their base URLs: responses that nobody reads share one. */
const MAX_DOCUMENTS = 4

/** Returns a function that builds a document once, and puts the base URL of each request into it. */
export function cacheDocument({ build, write }: BaseUrlDocument): (baseUrl: string) => Promise<Buffer> {
  let parts: Promise<[Buffer, Buffer]> | null = null
  const documents = new BoundedMap<Buffer>(MAX_DOCUMENTS)
  return async baseUrl => {
    parts ??= buildParts()
    const [before, after] = await parts
    let document = documents.get(baseUrl)
    if (document === undefined) {
      document = Buffer.concat([before, Buffer.from(write(baseUrl)), after])
      documents.set(baseUrl, document)
    }
    return document
  }

  async function buildParts(): Promise<[Buffer, Buffer]> {
    try {
      const text = await build(PLACEHOLDER)
      const place = write(PLACEHOLDER)
      const at = text.indexOf(place)
      return [Buffer.from(text.slice(0, at)), Buffer.from(text.slice(at + place.length))]
    } catch (error) {
      parts = null
      throw error
    }
  }
}
