/** Starts the composing thread and registers the TypeScript loader, which worker threads do not inherit. */
import { register } from 'tsx/esm/api'

register()
await import('./worker.ts')
