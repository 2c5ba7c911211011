def activations(layers, width):
    total = 0
    for layer in range(layers):
        total += 2 * width
    # inputs
    gated = 3
    plain = 2
    if layers > 1:
        total += gated

    full = 1

    gated_inputs = 3

    plain_inputs = 2

    experts = layers * width

    half = 2

    single = 4
    return total
