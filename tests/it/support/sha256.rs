//! SHA-256 (FIPS 180-4), for comparing texts with their recorded digests.

/// The digest as lower-case hex digits.
pub fn hex(data: &[u8]) -> String {
    let primes: Vec<u32> = (2u32..)
        .filter(|n| (2..*n).take_while(|d| d * d <= *n).all(|d| n % d != 0))
        .take(64)
        .collect();
    let mut state: Vec<u32> = primes[..8].iter().map(|p| fraction(f64::from(*p).sqrt())).collect();
    let constants: Vec<u32> = primes.iter().map(|p| cube_root_fraction(*p)).collect();
    let mut padded = data.to_vec();
    padded.push(0x80);
    while padded.len() % 64 != 56 {
        padded.push(0);
    }
    padded.extend((data.len() as u64 * 8).to_be_bytes());
    for block in padded.chunks(64) {
        compress(&mut state, block, &constants);
    }
    state.iter().flat_map(|word| format!("{word:08x}").into_bytes()).map(char::from).collect()
}

fn compress(state: &mut [u32], block: &[u8], constants: &[u32]) {
    let mut words: Vec<u32> =
        block.chunks(4).map(|four| u32::from_be_bytes(four.try_into().unwrap())).collect();
    for at in 16..64 {
        let (a, b) = (words[at - 15], words[at - 2]);
        let low = a.rotate_right(7) ^ a.rotate_right(18) ^ (a >> 3);
        let high = b.rotate_right(17) ^ b.rotate_right(19) ^ (b >> 10);
        words.push(words[at - 16].wrapping_add(low).wrapping_add(words[at - 7]).wrapping_add(high));
    }
    let mut v: [u32; 8] = (&*state).try_into().unwrap();
    for (constant, word) in constants.iter().zip(&words) {
        let high = v[4].rotate_right(6) ^ v[4].rotate_right(11) ^ v[4].rotate_right(25);
        let choice = (v[4] & v[5]) ^ (!v[4] & v[6]);
        let sum = v[7]
            .wrapping_add(high)
            .wrapping_add(choice)
            .wrapping_add(*constant)
            .wrapping_add(*word);
        let low = v[0].rotate_right(2) ^ v[0].rotate_right(13) ^ v[0].rotate_right(22);
        let majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
        let total = sum.wrapping_add(low).wrapping_add(majority);
        v = [total, v[0], v[1], v[2], v[3].wrapping_add(sum), v[4], v[5], v[6]];
    }
    for (word, add) in state.iter_mut().zip(v) {
        *word = word.wrapping_add(add);
    }
}

/// The first 32 bits of the part behind the point.
fn fraction(number: f64) -> u32 {
    (number.fract() * 4_294_967_296.0) as u32
}

/// The same of a cube root, in whole numbers: a float is not exact enough for every prime.
fn cube_root_fraction(prime: u32) -> u32 {
    let target = u128::from(prime) << 96;
    let (mut low, mut high) = (0u128, 1u128 << 36);
    while high - low > 1 {
        let middle = u128::midpoint(low, high);
        if middle * middle * middle <= target { low = middle } else { high = middle }
    }
    (low & 0xffff_ffff) as u32
}

#[test]
fn the_digest_is_that_of_the_standard() {
    assert_eq!(hex(b"abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assert_eq!(hex(b""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}
