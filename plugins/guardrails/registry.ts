/** The built-in detectors and those of other plugins. */
import { forPlugin, type PersonalPoint } from 'svc/plugin'
import type { Detector, DetectorRegistry } from './types.ts'

/** A registry that records which plugin registers a detector; built-in detectors are registered as `own`. */
export function createRegistry(own: string): DetectorRegistry & PersonalPoint<DetectorRegistry> {
  const detectors: Detector[] = []
  const owners = new Map<string, string>()
  const registryOf = (plugin: string): DetectorRegistry => ({
    register(detector) {
      const owner = owners.get(detector.id)
      if (owner !== undefined)
        throw new Error(`the detector "${detector.id}" of ${plugin} is already registered by ${owner}`)
      owners.set(detector.id, plugin)
      detectors.push(detector)
    },
    list: () => detectors,
  })
  return { ...registryOf(own), [forPlugin]: registryOf }
}
