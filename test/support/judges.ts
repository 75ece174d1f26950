/** Packages with which tests judge the product, and which the manifests do not have: their licenses or sizes forbid it. */
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** A package in `test/sdk`, or in the folder that `SVC_TEST_JUDGES` names; null if it is not installed. */
export async function judge<Package>(name: string): Promise<Package | null> {
  const folder = process.env.SVC_TEST_JUDGES ?? join(import.meta.dirname, '..', 'sdk')
  try {
    const found = (await import(pathToFileURL(createRequire(`${folder}/`).resolve(name)).href)) as Package & {
      default?: Package
    }
    return { ...found.default, ...found }
  } catch {
    return null
  }
}
