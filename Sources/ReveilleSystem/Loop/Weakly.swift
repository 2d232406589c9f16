// SPDX-License-Identifier: Apache-2.0

/// Returns a handler that calls an owner while it exists, and then does nothing.
///
/// The caller of the handler, such as an event source, ends with its owner, so it must not keep the owner alive.
@inlinable @inline(__always)
package func weakly<Owner: AnyObject, each Argument>(
    _ owner: Owner, _ body: @escaping (Owner, repeat each Argument) -> Void
) -> (repeat each Argument) -> Void {
    { [weak owner] (arguments: repeat each Argument) in
        if let owner { body(owner, repeat each arguments) }
    }
}
