/**
 * Protection against content that users provide: stored responses, uploaded documents, custom response headers. It has the
 * same origin as the pages of the instance, so browsers must be kept from giving it the rights of that origin: reading its
 * storage, using its sign-in, registering a worker.
 */

/** Gives the document an opaque origin (CSP3, 6.4.2): its scripts run, but cannot access data of the instance's origin. */
export const SANDBOX_POLICY = 'sandbox allow-downloads allow-forms allow-modals allow-popups allow-scripts'

/** Types that browsers display without running scripts. They may render or sniff all other types as HTML. */
const INERT =
  /^(?:application\/(?:json|octet-stream|pdf|[a-z0-9.-]+\+json|x-ndjson|grpc[a-z+-]*|zip|gzip)|audio\/[a-z0-9.+-]+|font\/[a-z0-9.+-]+|image\/(?!svg)[a-z0-9.+-]+|text\/(?:plain|css|csv|event-stream|javascript|markdown)|video\/[a-z0-9.+-]+)$/

/**
 * Returns the `Content-Security-Policy` for user content, or null if its `Content-Type` is safe. `existing` is a policy set
 * by the user; both apply (CSP3, 8.1).
 */
export function sandboxPolicy(contentType: string | undefined, existing?: string): string | null {
  const type = (contentType ?? '').slice(0, 256).split(';', 1)[0]!.trim().toLowerCase()
  if (INERT.test(type)) return null
  return existing === undefined || existing.trim() === '' ? SANDBOX_POLICY : `${existing}, ${SANDBOX_POLICY}`
}
