/** Errors of the plugin `redirects`. */
import { HttpError, quoteInput, refusal } from 'svc/plugin'

export function invalidCount(text: string, max: number): HttpError {
  return refusal(
    400,
    'invalid_count',
    `invalid number of redirects ${quoteInput(text)} (expected an integer from 1 to ${max})`,
  )
}

export function rejectedTarget(target: string, reason: string): HttpError {
  return new HttpError(400, { error: 'redirect target refused', reason, url: target })
}

export function invalidCookieName(name: string): HttpError {
  return refusal(400, 'invalid_cookie_name', `invalid cookie name ${quoteInput(name)} (expected a token)`)
}

/** `expected` describes the allowed values. */
export function invalidCookieAttribute(name: string, value: string, expected: string): HttpError {
  return refusal(400, 'invalid_cookie_attribute', `invalid ${name} ${quoteInput(value)} (expected ${expected})`)
}

export function tooManyCookies(count: number, max: number): HttpError {
  return refusal(400, 'too_many_cookies', `too many cookies: ${count} (at most ${max} per request)`)
}
