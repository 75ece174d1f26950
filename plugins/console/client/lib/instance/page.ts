/** Settings from the server in the `<meta>` elements of the page, and the base URL of the instance. */

function meta(name: string): string {
  return document.querySelector<HTMLMetaElement>(`meta[name="svc-${name}"]`)?.content ?? ''
}

export const page = {
  /** How `/_svc/` is protected. */
  controlAuth: meta('control-auth') as 'open' | 'token' | 'jwt',
  /** The configured title, or empty. */
  title: meta('console-title'),
  /** An http(s) URL for the back link, or empty. */
  backlink: meta('console-backlink'),
  isPublic: meta('public-mode') === 'true',
  version: meta('version'),
}

/** Base URL of the instance with a trailing slash. The page is at `<base>ui/`, with any prefix that a gateway adds. */
export const instanceBase: string = new URL('..', document.baseURI.replace(/[?#].*/s, '')).href
