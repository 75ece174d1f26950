/** The extension point `httpbin.deployment`: where the process runs, as the manifests of echo-basic say it. */
import type { Variables } from './variables.ts'

/** Texts that are empty if the manifest does not say it. */
export type Deployment = Readonly<Variables>

declare module 'svc/plugin' {
  interface ExtensionPoints {
    'httpbin.deployment': () => Deployment
  }
}
