/** `node --import <this file>`: a program at the root of the project finds the packages of `test/sdk`, too. */
import { register } from 'node:module'
import { isMainThread } from 'node:worker_threads'

const SDK = new URL('../sdk/program.mjs', import.meta.url).href

// Node runs the hook below in a thread of its own.
if (isMainThread) register(import.meta.url)

export async function resolve(specifier, context, next) {
  try {
    return await next(specifier, context)
  } catch (error) {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error
    return next(specifier, { ...context, parentURL: SDK })
  }
}
