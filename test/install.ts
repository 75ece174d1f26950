/**
 * Installs what only some tiers and scripts need: the packages of `test/sdk`, `test/browser` and `proto`, or those of the named
 * folders, where they are missing or out of date. The programs of `test/programs` are large, so they are only installed by name.
 */
import { ensureInstalled } from './runner/manifests.ts'

const named = process.argv.slice(2)
for (const folder of named.length > 0 ? named : ['test/sdk', 'test/browser', 'proto']) ensureInstalled(folder)
