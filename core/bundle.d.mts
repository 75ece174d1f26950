/** The script of an entry file with all its own modules; rejects with the bundler's `BuildFailure`. */
export function bundle(entry: string): Promise<string>

/** Runs the script of an entry file; answers its exports. `require` is what its packages are loaded with. */
export function runScript(entry: string, code: string, require?: (id: string) => unknown): unknown
