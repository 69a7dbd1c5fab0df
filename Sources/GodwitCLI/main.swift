print("godwit")
