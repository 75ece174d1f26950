/** The authorization code flow in a pop-up window, which reports its result through `callback.ts`. */
import { instanceBase } from '../instance/page.ts'

/** Redirect URI for the provider. */
export const redirectUri = new URL('ui/callback', instanceBase).href

export type AuthorizationResponse = Record<string, string>

/** Interval of the checks whether the window was closed. */
const WATCH_MS = 400

/** Opens the window. Call it in a click handler; throws if the browser blocks the window. */
export function openWindow(): Window {
  const opened = window.open('about:blank', 'svc-authorization', 'popup,width=480,height=680')
  if (opened === null) throw new Error('The browser blocked the window. Allow pop-ups for this page.')
  return opened
}

/** Opens the authorization endpoint. Resolves to its parameters; throws if the window closes or the state differs. */
export function authorize(
  opened: Window,
  url: string,
  state: string,
  signal: AbortSignal,
): Promise<AuthorizationResponse> {
  return new Promise((resolve, reject) => {
    const channel = new BroadcastChannel('svc.console.authorization')
    const ended = new AbortController()
    function finish(act: () => void): void {
      ended.abort()
      channel.close()
      clearInterval(timer)
      act()
    }
    function take(data: unknown): void {
      const message = data as { type?: unknown; response?: AuthorizationResponse } | null
      if (message?.type !== 'svc-authorization' || message.response === undefined) return
      const { response } = message
      finish(() =>
        response.state === state
          ? resolve(response)
          : reject(new Error('The response belongs to another request: its state differs.')),
      )
    }
    addEventListener(
      'message',
      event => {
        if (event.origin === location.origin) take(event.data)
      },
      { signal: ended.signal },
    )
    channel.onmessage = event => take(event.data)
    let closedFor = 0
    const timer = setInterval(() => {
      // Its message may still be on the way, and a page that isolates itself also looks closed from here.
      closedFor = opened.closed ? closedFor + 1 : 0
      if (closedFor > 3) finish(() => reject(new Error('The window was closed.')))
    }, WATCH_MS)
    signal.addEventListener(
      'abort',
      () =>
        finish(() => {
          opened.close()
          reject(new Error('Canceled.'))
        }),
      { signal: ended.signal },
    )
    opened.location.href = url
  })
}
