/**
 * Lua scripts of a deployment:
 *
 * | Key | Type | Content |
 * |---|---|---|
 * | `D:r` | set | names of replicas |
 * | `D:r:<name>` | string | record of a replica; expires without a heartbeat |
 * | `D:e` | string | epoch: another one means that the store has lost its data |
 * | `D:g` | hash | value of each register |
 * | `D:v` | hash | version of each register |
 */
import { loadScript } from './script.ts'

/** A replica without a heartbeat for this time is gone. */
export const RECORD_MS = 10_000
/**
 * KEYS[1] is `D:r`. Name, record, a random epoch, whether the record has changed, `RECORD_MS`. Returns the time in milliseconds, the epoch,
 * the versions of all registers, the records of all living replicas with their remaining time, and whether its own record had
 * been removed. Rejects if the deployment has another layout.
 */
export const BEAT = loadScript('replicas-beat.lua')

/** KEYS[1] is `D:r`. Name. Removes a replica. */
export const LEAVE = loadScript('replicas-leave.lua')

/** KEYS[1] is `D:g`. Register. Returns its value and version, or null. */
export const READ_REGISTER = loadScript('replicas-read-register.lua')

/**
 * KEYS[1] is `D:g`. Register, value, expected version (0: absent), new version. Returns value and version of the register,
 * and before them 1 if they are the given ones.
 */
export const WRITE_REGISTER = loadScript('replicas-write-register.lua')
