/** Owns pages that depend on nothing but the base URL while a generation serves. */

/** Base URLs that are remembered; the `Host` header makes them, so anyone can make more. */
const MAX_PAGES = 16

/** A function that builds the page of a base URL once and remembers the last 16 of them, as bytes. */
export function rememberPages(build: (baseUrl: string) => string): (baseUrl: string) => Buffer {
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
