/** What views do over and over: load something, do something, and tell how it went. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { AwayError, explain, signInReason } from '../instance/api.ts'

export interface Loaded<T> {
  /** The last good value. */
  value: T | undefined
  error: string | null
  isLoading: boolean
  /** Loads again; the value stays meanwhile. */
  reload(): Promise<void>
}

/** Loads at first and whenever `deps` change; the last good value stays on screen. `everyMs`: again and again while the page is visible. */
export function useLoad<T>(
  load: (signal: AbortSignal) => Promise<T>,
  deps: readonly unknown[] = [],
  everyMs?: number,
): Loaded<T> {
  const [state, setState] = useState<{ value: T | undefined; error: string | null; isLoading: boolean }>({
    value: undefined,
    error: null,
    isLoading: true,
  })
  const running = useRef<AbortController | null>(null)
  const latest = useRef(load)
  latest.current = load

  const reload = useCallback(async () => {
    running.current?.abort()
    const controller = new AbortController()
    running.current = controller
    setState(previous => ({ ...previous, isLoading: true }))
    try {
      const value = await latest.current(controller.signal)
      if (!controller.signal.aborted) setState({ value, error: null, isLoading: false })
    } catch (error) {
      // That the instance is away is told once, above the view, which keeps what it has.
      const isAway = error instanceof AwayError
      if (!controller.signal.aborted)
        setState(previous => ({
          ...previous,
          error: isAway ? null : explain(error),
          isLoading: isAway && previous.value === undefined,
        }))
    }
  }, [])

  // Nothing is asked on the sign-in screen; what the view holds is kept, and asked anew afterwards.
  const isSignedIn = signInReason.value === null
  useEffect(() => {
    if (!isSignedIn) return
    void reload()
    const timer =
      everyMs === undefined
        ? undefined
        : setInterval(() => {
            if (!document.hidden) void reload()
          }, everyMs)
    return () => {
      clearInterval(timer)
      running.current?.abort()
    }
  }, [...deps, everyMs, isSignedIn])

  return { ...state, reload }
}

export interface Action<A extends unknown[]> {
  run(...args: A): Promise<void>
  isRunning: boolean
  error: string | null
  clearError(): void
}

/** An action of a button: whether it runs, and why it failed. */
export function useAction<A extends unknown[]>(act: (...args: A) => Promise<unknown> | unknown): Action<A> {
  const [state, setState] = useState<{ isRunning: boolean; error: string | null }>({ isRunning: false, error: null })
  const latest = useRef(act)
  latest.current = act
  const run = useCallback(async (...args: A) => {
    setState({ isRunning: true, error: null })
    try {
      await latest.current(...args)
      setState({ isRunning: false, error: null })
    } catch (error) {
      setState({ isRunning: false, error: explain(error) })
    }
  }, [])
  return { ...state, run, clearError: () => setState(previous => ({ ...previous, error: null })) }
}

/** The time in milliseconds since 1970, anew every `everyMs`. */
export function useNow(everyMs: number): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs)
    return () => clearInterval(timer)
  }, [everyMs])
  return now
}
