/** The users of an issuer. */
import { isSameSecret } from 'svc/toolkit'
import type { UserSettings } from '../settings/account-settings.ts'
import type { User } from '../stores/records.ts'

/** The password of each demo user equals the user name. */
export const DEMO_USERS: readonly User[] = [
  { username: 'demo', name: 'Demo User', email: 'demo@svc.local', groups: ['users'] },
  { username: 'alice', name: 'Alice Admin', email: 'alice@svc.local', groups: ['users', 'admins'] },
  { username: 'bob', name: 'Bob Member', email: 'bob@svc.local', groups: ['users'] },
]

/** Finds users and checks passwords. */
export interface Users {
  /** Finds a user by exact name. */
  find(username: string): User | undefined
  /** The user with this name and password; null if there is no such user or the password is wrong. */
  logIn(username: string, password: string): User | null
  /** The users, demo users first. */
  readonly list: readonly User[]
  /** Whether a user is a demo user, whose password everybody knows. */
  isDemo(user: User): boolean
}

/** The users of the settings, in addition to the demo users. */
export function createUsers(settings: readonly UserSettings[], { demo }: { demo: boolean }): Users {
  const accounts = new Map<string, { user: User; password: string }>()
  if (demo) for (const user of DEMO_USERS) accounts.set(user.username, { user, password: user.username })
  for (const { name, password, display_name, email, groups, roles, claims, mfa } of settings) {
    accounts.set(name, {
      password,
      user: {
        username: name,
        name: display_name ?? name,
        email: email ?? `${name}@svc.local`,
        groups,
        ...(roles !== undefined && { roles }),
        ...(claims !== undefined && { claims }),
        ...(mfa === true && { mfa }),
      },
    })
  }
  return {
    find: username => accounts.get(username)?.user,
    logIn(username, password) {
      const account = accounts.get(username)
      const isPasswordValid = isSameSecret(password, account?.password ?? '')
      return account !== undefined && isPasswordValid ? account.user : null
    },
    list: [...accounts.values()].map(({ user }) => user),
    isDemo: user => DEMO_USERS.includes(user),
  }
}
