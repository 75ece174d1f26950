/**
 * Makes `process.nextTick`, which every request calls a dozen times, five times as fast; to be imported before all else.
 *
 * Node makes an object for each tick, whose ids are integers at first and become doubles as the process grows. When V8 meets
 * the second form after the first it no longer compiles the making of these objects, for good. One object of the second
 * form, made beforehand, has all of them get it. Without effect where Node makes its ticks otherwise.
 */
import { AsyncResource } from 'node:async_hooks'

const [id, trigger] = Object.getOwnPropertySymbols(new AsyncResource('svc'))
const callback = () => {}
const args = undefined

/** Held, as forms that no object has are forgotten. */
export const tick = id === undefined || trigger === undefined ? null : { [id]: 0.5, [trigger]: 0.5, callback, args }
