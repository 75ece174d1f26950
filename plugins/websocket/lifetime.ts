/** Maximum lifetimes of WebSockets, on normal and on public instances. */
import type { Config } from 'svc/plugin'

/** Milliseconds without a frame from the client, and in total. */
export function lifetimeOf({ publicMode }: Config): { idleMs: number; lifetimeMs: number } {
  return publicMode ? { idleMs: 60_000, lifetimeMs: 600_000 } : { idleMs: 300_000, lifetimeMs: 3_600_000 }
}
