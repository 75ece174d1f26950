/**
 * A login: a browser opens a page of the gateway, follows redirects of the gateway and of svc, and fills the forms of svc's issuer.
 * The answer is that of the last page; `logins` counts the forms with a password.
 */
import type { LoginTraffic } from '../../file/demo.ts'
import { directTarget, type RunContext, type Target } from '../context.ts'
import type { SentRequest } from '../sent.ts'
import { formIn } from './forms.ts'
import { keepsMethod, locationOf, pathAt } from './redirects.ts'
import { sendRequest, type SendOptions } from './request.ts'

const MAX_PAGES = 20
/** By what gateways tell a browser that opens a page from a script. */
const BROWSER = {
  accept: 'text/html,application/xhtml+xml,*/*;q=0.8',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-dest': 'document',
}

interface Page {
  method: string
  /** Below the target. */
  path: string
  /** A form. */
  body: URLSearchParams | null
  /** Null: the gateway. */
  issuer: Target | null
  isRedirect: boolean
}

/** Each login is done in a browser without cookies. The run goes on with those of the gateway. */
export async function sendLogin(traffic: LoginTraffic, options: SendOptions): Promise<SentRequest[]> {
  const { jar } = options.context
  let opening: Opening = { traffic, options, browser: newBrowser() }
  const first: Page = { method: 'GET', path: traffic.path, body: null, issuer: null, isRedirect: false }
  let page = first
  let [logins, isInjected] = [0, false]
  for (let pages = 1; ; pages++) {
    const sent = await openPage(page, opening)
    const found = pages < MAX_PAGES ? nextPage(page, sent, opening) : null
    // Another login would not show what the injected answer did.
    const next = isInjected && found?.issuer != null ? null : found
    if (next === null) {
      jar.clear()
      for (const [name, value] of opening.browser.gateway) jar.set(name, value)
      return [{ ...sent, facts: { logins } }]
    }
    if (next.body?.has('password') === true) logins++
    if (traffic.isInjected && page.issuer !== null && next.issuer === null) {
      isInjected = true
      opening = { ...opening, browser: newBrowser() }
      // The other browser has begun a login, too.
      await openPage(first, opening)
    }
    page = next
  }
}

interface Opening {
  traffic: LoginTraffic
  options: SendOptions
  browser: Browser
}

/** Cookies. */
interface Browser {
  gateway: Map<string, string>
  issuer: Map<string, string>
}

function newBrowser(): Browser {
  return { gateway: new Map(), issuer: new Map() }
}

function openPage(page: Page, { traffic, options, browser }: Opening): Promise<SentRequest> {
  const { method, path, issuer, isRedirect } = page
  const context: RunContext =
    issuer === null
      ? { ...options.context, jar: browser.gateway }
      : { ...options.context, jar: browser.issuer, target: issuer }
  return sendRequest(
    {
      method,
      path,
      headers: {
        ...BROWSER,
        ...(page.body === null ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
        ...(issuer === null ? traffic.headers : {}),
      },
      body: page.body?.toString() ?? null,
      bearer: null,
      cookies: true,
      isRedirect,
      // What the browser sends to svc itself does not count as an arrival.
      isUnmarked: issuer !== null,
    },
    { ...options, context, variant: null },
  )
}

/** Where the browser goes after an answer; null: it stays. */
function nextPage(page: Page, sent: SentRequest, { traffic, options: { context } }: Opening): Page | null {
  const target = page.issuer ?? context.target
  const location = locationOf(sent, target)
  const isOfIssuer = pathAtIssuer(addressOf(sent, target), traffic, target) !== null
  // A page with an error shows the form again.
  const isForm = location === null && isOfIssuer && sent.status !== null && sent.status < 400
  const form = isForm ? formIn(sent.body, traffic.user) : null
  if (location === null && form === null) return null
  const url = location ?? urlOf(form!.action, addressOf(sent, target))
  if (url === null) return null
  const body = form?.fields ?? (keepsMethod(sent) ? page.body : null)
  const method = body === null ? 'GET' : 'POST'
  const path = pathAt(url, context.target)
  if (path !== null) return { method, path, body, issuer: null, isRedirect: true }
  const issuer = issuerTarget(url, context)
  const below = pathAtIssuer(url, traffic, issuer)
  return below === null ? null : { method, path: below, body, issuer, isRedirect: true }
}

function urlOf(text: string, base: URL): URL | null {
  return URL.canParse(text, base.href) ? new URL(text, base) : null
}

function addressOf({ target: path }: SentRequest, { address, host }: Target): URL {
  const url = new URL(path, address.url)
  if (host !== null) url.host = host
  return url
}

/** svc, by the host name that the gateway gives it: the issuer is known by this name, which may be one of the gateway's network. */
function issuerTarget(url: URL, { control }: RunContext): Target {
  return { ...directTarget(control, []), host: url.host }
}

/** The path of an address of the issuer; null: it is another one. */
function pathAtIssuer(url: URL, { issuer }: LoginTraffic, target: Target): string | null {
  const path = pathAt(url, target)
  return path?.startsWith(issuer === 'default' ? '/oauth/' : `/oauth/i/${issuer}/`) === true ? path : null
}
