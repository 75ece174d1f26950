/** Addresses of gateways as people type them. */
import { trimEndCharacters } from '../protocol/trim.ts'

const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])(?=[:/]|$)/i

/**
 * The address without spaces and slashes at its end. One without a scheme gets that of the page, or `http` on loopback,
 * where gateways rarely have a certificate.
 */
export function completeAddress(text: string, pageScheme: string = location.protocol): string {
  const address = trimEndCharacters(text.trim(), '/')
  if (address === '' || /^[a-z][a-z\d+.-]*:\/\//i.test(address)) return address
  return `${LOOPBACK.test(address) ? 'http:' : pageScheme}//${address.replace(/^\/+/, '')}`
}

/** Why the text is not the address of a gateway, or null if it is one. */
export function addressProblem(text: string, pageScheme?: string): string | null {
  const address = completeAddress(text, pageScheme)
  const parsed = URL.canParse(address) ? new URL(address) : null
  // Chromium accepts spaces in hosts.
  if (parsed === null || !/^https?:$/.test(parsed.protocol) || /\s/.test(address))
    return 'Enter an http or https URL, such as http://localhost:8000/demo.'
  if (parsed.search !== '' || parsed.hash !== '' || parsed.username !== '' || parsed.password !== '')
    return 'The URL must not contain user info, a query or a fragment.'
  return null
}
