#!/usr/bin/env node
/**
 * Starts the command line. The loader that reads TypeScript is registered in this process, so there is nothing to
 * build, and signals and exit codes are the server's own.
 */
import { register } from 'tsx/esm/api'

register()
await import('../core/main.ts')
