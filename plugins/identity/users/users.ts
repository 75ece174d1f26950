/** The demo users. */
import { isSameSecret } from 'svc/plugin'

/** A user, with the standard claims (OpenID Connect Core, 5.1). */
export interface User {
  username: string
  name: string
  email: string
  groups: readonly string[]
}

/** The password of each demo user equals the user name. */
export const DEMO_USERS: readonly User[] = [
  { username: 'demo', name: 'Demo User', email: 'demo@svc.local', groups: ['users'] },
  { username: 'alice', name: 'Alice Admin', email: 'alice@svc.local', groups: ['users', 'admins'] },
  { username: 'bob', name: 'Bob Member', email: 'bob@svc.local', groups: ['users'] },
]

const byName = new Map(DEMO_USERS.map(user => [user.username, user]))

/** Finds a user by exact name. */
export function findUser(username: string): User | undefined {
  return byName.get(username)
}

/** The user with this name and password; null if there is no such user or the password is wrong. */
export function logIn(username: string, password: string): User | null {
  const user = findUser(username)
  const isPasswordValid = isSameSecret(password, user?.username ?? '')
  return user !== undefined && isPasswordValid ? user : null
}
