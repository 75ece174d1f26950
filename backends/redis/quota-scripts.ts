/**
 * Lua scripts of limits: plans and API keys are counted for all replicas together.
 *
 * | Key | Type | Content |
 * |---|---|---|
 * | `Q:<id>` | hash | one set of counters, with the fields below |
 * | `Q:<group>` | sorted set | the ids of a group by last use |
 *
 * | Field | Content |
 * |---|---|
 * | `start`, `finish` | the period, in milliseconds |
 * | `requests`, `egress` | used in the period |
 * | `tokens`, `filled`, `rate` | the token bucket, when it was filled by the clock of the server, and its rate and size |
 * | `f:<replica>`, `s:<replica>` | requests in flight and open streams of a replica |
 * | `x:<limit>` | rejections in the period |
 * | `seen` | time of the last request |
 */
import { loadScript } from './script.ts'

/**
 * `claims` (`QuotaClaim`): nothing is taken unless all pass. Returns the number of the claim that fails, from 1, its limit, and
 * the state of each; or 0 and an empty text.
 */
export const ADMIT = loadScript('quota-admit.lua')

/** `changes` (`QuotaChange`). Returns the state of each. */
export const CHANGE = loadScript('quota-change.lua')

/** `subjects` (`QuotaSubject`). Returns the state of each with all slots, its rejections, and when it was seen. */
export const READ = loadScript('quota-read.lua')
