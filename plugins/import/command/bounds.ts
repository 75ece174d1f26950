/** Bounds of one import. */
const MIB = 1024 * 1024

export const MAX_FILES = 500
export const MAX_FILE_BYTES = 16 * MIB
export const MAX_BYTES = 64 * MIB
export const MAX_RULES = 2000
/** Items that `svc.yaml` can have in `proxy` and `notify.allow`. */
export const MAX_UPSTREAMS = 50
export const MAX_HOSTS = 100
/** Levels of JSON and YAML, and of folders. */
export const MAX_DEPTH = 100
export const MAX_FOLDER_DEPTH = 30
/** Of all folders together. */
export const MAX_ENTRIES = 20_000
/** A file that a response has as its body. */
export const MAX_BODY_BYTES = 4 * MIB
/** All of them together: rules hold no more. */
export const MAX_BODIES_BYTES = 64 * MIB
/** Findings that are kept; further ones are counted. */
export const MAX_FINDINGS = 10_000
