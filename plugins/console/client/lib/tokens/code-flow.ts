/** The authorization code flow in a window of its own: opens it, waits for what `callback.ts` says. */
import { instanceBase } from '../instance/page.ts'

/** Where the provider leads back to. */
export const redirectUri = new URL('ui/callback', instanceBase).href

export type AuthorizationAnswer = Record<string, string>

/** Looked for so often whether the window was closed. */
const WATCH_MS = 400

/** Opens the window; must be called by a click, or the browser blocks it. Throws when it does. */
export function openWindow(): Window {
  const opened = window.open('about:blank', 'svc-authorization', 'popup,width=480,height=680')
  if (opened === null) throw new Error('The browser blocked the window: allow pop-ups for this page.')
  return opened
}

/** Goes to the authorization endpoint and answers its parameters. Throws when the window is closed or another flow's state comes back. */
export function authorize(
  opened: Window,
  url: string,
  state: string,
  signal: AbortSignal,
): Promise<AuthorizationAnswer> {
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
      const message = data as { type?: unknown; answer?: AuthorizationAnswer } | null
      if (message?.type !== 'svc-authorization' || message.answer === undefined) return
      const { answer } = message
      finish(() =>
        answer.state === state
          ? resolve(answer)
          : reject(new Error('The answer belongs to another request: its state differs.')),
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
      // Its message may still be on the way; and a page that isolates itself looks closed from here.
      closedFor = opened.closed ? closedFor + 1 : 0
      if (closedFor > 3) finish(() => reject(new Error('The window was closed.')))
    }, WATCH_MS)
    signal.addEventListener(
      'abort',
      () =>
        finish(() => {
          opened.close()
          reject(new Error('Given up.'))
        }),
      { signal: ended.signal },
    )
    opened.location.href = url
  })
}
