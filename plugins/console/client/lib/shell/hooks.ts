/** Hooks for views: load data, run actions, and report errors. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { InstanceUnreachableError, explain, signInReason } from '../instance/api.ts'

export interface Loaded<T> {
  /** The last loaded value. */
  value: T | undefined
  error: string | null
  isLoading: boolean
  /** Loads again and keeps the value meanwhile. */
  reload(): Promise<void>
}

/** Loads on mount, when `deps` change, and every `everyMs` while the page is visible. Errors keep the last value. */
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
      // A banner above the view reports that the instance is not responding, so the view keeps its data.
      const isUnreachable = error instanceof InstanceUnreachableError
      if (!controller.signal.aborted)
        setState(previous => ({
          ...previous,
          error: isUnreachable ? null : explain(error),
          isLoading: isUnreachable && previous.value === undefined,
        }))
    }
  }, [])

  // Nothing is loaded while the sign-in screen is open. The view keeps its data and loads it again afterwards.
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

/** An action, such as that of a button, with its state and error. */
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

/** Whether a media query matches. */
export function useMedia(query: string): boolean {
  const [matches, setMatches] = useState(() => matchMedia(query).matches)
  useEffect(() => {
    const list = matchMedia(query)
    const read = () => setMatches(list.matches)
    read()
    list.addEventListener('change', read)
    return () => list.removeEventListener('change', read)
  }, [query])
  return matches
}

/** The current time in milliseconds since 1970, updated every `everyMs`. */
export function useNow(everyMs: number): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs)
    return () => clearInterval(timer)
  }, [everyMs])
  return now
}
