/**
 * Documents that users make: stored answers, documents uploaded for serving, chosen response headers. They come from the
 * same origin as the instance's own pages, so a browser must not let them act as that origin: read its storage, use its
 * sign-in, register a worker.
 */

/** A unique origin for the document (CSP3, 6.4.2): its scripts run, but neither read nor change what is the instance's. */
export const SANDBOX_POLICY = 'sandbox allow-downloads allow-forms allow-modals allow-popups allow-scripts'

/** Types that browsers show as themselves without running anything; everything else they may render or sniff as HTML. */
const INERT =
  /^(?:application\/(?:json|octet-stream|pdf|[a-z0-9.-]+\+json|x-ndjson|grpc[a-z+-]*|zip|gzip)|audio\/[a-z0-9.+-]+|font\/[a-z0-9.+-]+|image\/(?!svg)[a-z0-9.+-]+|text\/(?:plain|css|csv|event-stream|javascript|markdown)|video\/[a-z0-9.+-]+)$/

/**
 * The `Content-Security-Policy` of a user-made document; null where its type (`Content-Type` as it is sent, undefined for
 * none) is inert. `existing` is the policy that the user set: both apply (CSP3, 8.1).
 */
export function sandboxPolicy(contentType: string | undefined, existing?: string): string | null {
  const type = (contentType ?? '').slice(0, 256).split(';', 1)[0]!.trim().toLowerCase()
  if (INERT.test(type)) return null
  return existing === undefined || existing.trim() === '' ? SANDBOX_POLICY : `${existing}, ${SANDBOX_POLICY}`
}
