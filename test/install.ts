/** Installs what only some tiers and scripts need: the packages of `test/sdk`, `test/browser` and `proto`, where it is missing or out of date. */
import { ensureInstalled } from './runner/manifests.ts'

for (const folder of ['test/sdk', 'test/browser', 'proto']) ensureInstalled(folder)
