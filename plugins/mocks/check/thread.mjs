/** Starts the checking thread: workers do not inherit the loader that reads TypeScript. */
import { register } from 'tsx/esm/api'

register()
await import('./worker.ts')
