/** What the page was told by the server, and where the instance is. */

function meta(name: string): string {
  return document.querySelector<HTMLMetaElement>(`meta[name="svc-${name}"]`)?.content ?? ''
}

export const page = {
  /** How `/_svc/` is protected. */
  controlAuth: meta('control-auth') as 'open' | 'token' | 'jwt',
  /** The presenter's own title, or empty. */
  title: meta('console-title'),
  /** An http(s) address to go back to, or empty. */
  backlink: meta('console-backlink'),
  isPublic: meta('public-mode') === 'true',
  version: meta('version'),
}

/** Base URL of the instance with a trailing slash: the page lies at `<base>ui/`, whatever a gateway put before it. */
export const instanceBase: string = new URL('..', document.baseURI.replace(/[?#].*/s, '')).href
