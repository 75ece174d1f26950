/** Certificates of a file that `svc.yaml` names. */
import { readFileSync } from 'node:fs'

/** Reads a file with at least one certificate in PEM format, or returns what is wrong with it. */
export function readPemCertificates(file: string): { pem: string } | { message: string; remedy: string } {
  try {
    const pem = readFileSync(file, 'utf8')
    if (pem.includes('-----BEGIN CERTIFICATE-----')) return { pem }
    return {
      message: 'the file contains no PEM certificate',
      remedy: 'name a file with a certificate in PEM format',
    }
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException
    return { message: `the file can't be read (${code})`, remedy: 'correct the path, which is relative to svc.yaml' }
  }
}
