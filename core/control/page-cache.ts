/** Caches pages that depend only on the base URL and the generation. */

/** Maximum number of cached pages. Clients can create any number of base URLs with the `Host` header. */
const MAX_PAGES = 16

/** Returns a function that builds the page for a base URL and caches the last 16 pages as bytes. */
export function cachePages(build: (baseUrl: string) => string): (baseUrl: string) => Buffer {
  const pages = new Map<string, Buffer>()
  return baseUrl => {
    let page = pages.get(baseUrl)
    if (page === undefined) {
      page = Buffer.from(build(baseUrl))
      if (pages.size >= MAX_PAGES) pages.delete(pages.keys().next().value as string)
      pages.set(baseUrl, page)
    }
    return page
  }
}
